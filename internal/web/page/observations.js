// The observations of a memory, and drafts of those that are gone.
import { acting, change, redraw, tool } from './changes.js';
import * as drafts from './drafts.js';
import { h } from './dom.js';
import { cancel, clears, escapes, observationField, saving } from './forms.js';
import { heading, rows } from './rows.js';
import { excerpt, moment } from './text.js';

const newPart = 'new observation';
const partOf = (content) => `observation: ${content}`; // that is being changed
const isChange = (draft) => draft.part.startsWith(partOf(''));

export const isObservation = (draft) => isChange(draft) || draft.part === newPart;

export function observations({ name, observations: all }) {
  const least = 1 + all.findLastIndex((o) => drafts.find(name, partOf(o.content)));
  return h('section', { class: 'observations' }, heading('Observations', all.length),
    stranded(name, all), rows(all, (o) => (drafts.find(name, partOf(o.content)) ? editing : row)(name, o), least), adding(name));
}

// stranded are drafts of what was changed or removed meanwhile.
function stranded(name, all) {
  const there = new Set(all.map((o) => o.content));
  const left = drafts.of(name).filter((draft) => isChange(draft) && !there.has(draft.base));
  // A draft may have been saved although the answer never came.
  left.filter((draft) => there.has(draft.text.trim())).forEach((draft) => drafts.drop(name, draft.part));
  return left.filter((draft) => drafts.find(name, draft.part)).map((draft) => rescue(draft,
    'The observation that you were changing was changed or removed meanwhile. Yours is kept here and not saved.',
    'Save as a new observation', (text) => tool('add_observations', { name, observations: [text] })));
}

// rescued are the drafts of observations of a memory that is gone.
export const rescued = (name) => drafts.of(name).filter(isObservation).map((draft) => rescue(draft,
  'What you wrote for it is kept here and not saved.',
  'Make the memory anew with it', (text) => tool('create_entities', { entities: [{ name, observations: [text] }] })));

// rescue offers to save a draft where its place is gone.
function rescue({ name, part, base }, why, label, call) {
  const field = drafts.keep(observationField('Your text', {}), name, part);
  const discard = () => { drafts.discard(name, part); redraw(); };
  const form = saving(h('form', { class: 'rescue' },
    h('p', { class: 'problem', role: 'alert' }, why),
    base && h('p', { class: 'hint', dir: 'auto' }, `It was: ${excerpt(base, '')}`),
    field,
    h('div', { class: 'actions' }, h('button', { class: 'primary' }, label),
      cancel(discard, 'Discard'))),
  () => change([call(field.value.trim())], `Added an observation to ${name}`, { saved: () => drafts.drop(name, part) }));
  escapes(form, discard);
  return form;
}

function adding(name) {
  const field = drafts.keep(observationField('New observation', { rows: 1, placeholder: 'Add an observation' }), name, newPart);
  const form = saving(h('form', { class: 'add' }, field, h('button', {}, 'Add')),
    () => change([tool('add_observations', { name, observations: [field.value.trim()] })], `Added an observation to ${name}`,
      { saved: () => drafts.drop(name, newPart) }));
  return clears(form, () => drafts.discard(name, newPart));
}

function row(name, o) {
  const { content, createdAt } = o;
  const item = h('li', {},
    h('p', { dir: 'auto' }, content),
    h('div', { class: 'row-actions' }, createdAt ? moment(createdAt) : null,
      h('button', { type: 'button', class: 'quiet', 'aria-label': `Edit: ${content.slice(0, 80)}`, onclick: () => edit(name, o, item) }, 'Edit'),
      h('button', { type: 'button', class: 'quiet', 'aria-label': `Remove: ${content.slice(0, 80)}`, onclick: remove(name, content) }, 'Remove')));
  return item;
}

const remove = (name, content) => acting([tool('delete_observations', { name, observations: [content] }, { name, observation: content })],
  `Removed an observation of ${name}`);

function edit(name, o, item) {
  const form = editing(name, o);
  item.replaceWith(form);
  form.querySelector('textarea').focus();
}

function editing(name, o) {
  const { content } = o;
  const part = partOf(content);
  const field = observationField('Observation', {}, content);
  const unchanged = field.value.trim();
  drafts.keep(field, name, part, content);
  const close = () => {
    drafts.discard(name, part);
    const item = row(name, o);
    place.replaceWith(item);
    item.querySelector('button').focus();
  };
  const form = saving(h('form', { class: 'change' }, field, h('div', { class: 'actions' }, h('button', { class: 'primary' }, 'Save'), cancel(close))), async () => {
    const text = field.value.trim();
    if (text === unchanged) return close();
    const expect = { name, observation: content };
    // First the new one: if it is refused, the old one stays.
    await change([tool('add_observations', { name, observations: [text] }, expect), tool('delete_observations', { name, observations: [content] }, expect)],
      `Changed an observation of ${name}`, { saved: () => drafts.drop(name, part) });
  });
  escapes(form, close);
  const place = h('li', { class: 'editing' }, form);
  return place;
}
