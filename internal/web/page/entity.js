// One memory: what is known of it, and the ways to change that.
import { request } from './api.js';
import { acting, change, tool } from './changes.js';
import * as drafts from './drafts.js';
import { h, byId } from './dom.js';
import { cancel, escapes, saving } from './forms.js';
import { written } from './gone.js';
import { observations } from './observations.js';
import { relations } from './relations.js';
import { heading, rows } from './rows.js';
import { entityLink, graphLink, moment, plural, typeTag } from './text.js';

const pane = byId('entity');
let shown = null; // name
let asked = 0;

// open shows a memory, and resolves to whether there is one. inGraph has its links
// lead on in the graph.
export async function open(name, inGraph) {
  const turn = ++asked;
  if (shown !== name) pane.setAttribute('aria-busy', 'true');
  let entity;
  try {
    entity = await request('entity', { name });
  } catch (error) {
    if (turn === asked) fail(name, error);
    return false;
  } finally {
    if (turn === asked) pane.removeAttribute('aria-busy');
  }
  if (turn !== asked) return false;
  const link = inGraph ? graphLink : entityLink;
  draw(entity.name, head(entity, inGraph), observations(entity), relations(entity, link), together(entity, link));
  document.title = `${entity.name} – Memory`;
  return true;
}

// draw replaces what is shown. Of the same memory, place and focus stay.
function draw(name, ...content) {
  const same = shown === name;
  const scroll = same ? pane.scrollTop : 0;
  const focused = same && pane.contains(document.activeElement) ? document.activeElement : null;
  shown = name;
  pane.replaceChildren(...content);
  pane.hidden = false;
  pane.scrollTop = scroll;
  drafts.view(pane.checkVisibility() ? name : '');
  if (focused) refocus(focused);
}

// refocus goes to the field that is now what was in focus, or its form, else to the
// heading.
function refocus(was) {
  const { draft } = (was.dataset.draft ? was : was.form?.querySelector('[data-draft]'))?.dataset ?? {};
  const field = draft && [...pane.querySelectorAll('[data-draft]')].find((f) => f.dataset.draft === draft);
  if (!field) {
    focus();
    return;
  }
  field.focus({ preventScroll: true });
  if (was.selectionStart !== undefined && field.value === was.value) field.setSelectionRange(was.selectionStart, was.selectionEnd);
}

// close shows none.
export function close() {
  asked++;
  shown = null;
  pane.hidden = true;
  pane.replaceChildren();
  drafts.view('');
  document.title = 'Memory';
}

// focus goes to the heading.
export const focus = () => pane.querySelector('h1')?.focus({ preventScroll: true });

function fail(name, error) {
  const missing = error.status === 404;
  draw(name, backLink(),
    h('h1', { tabindex: '-1' }, missing ? 'There is no such memory' : 'This memory cannot be shown'),
    h('p', { dir: 'auto' }, missing ? `None is named “${name}”. It may have been deleted.` : error.message),
    ...(missing ? written(name) : []));
}

const backLink = () => h('a', { class: 'back', href: '#/' }, '← Results');

function head(entity, inGraph) {
  const { name, access, updatedAt } = entity;
  const remove = acting([tool('delete_entities', { entityNames: [name] }, { name, updatedAt })], `Deleted ${name}`, { to: inGraph ? '#/graph' : '#/' });
  return h('header', {}, backLink(),
    h('h1', { tabindex: '-1', dir: 'auto' }, name), drafts.find(name, 'type') ? typeForm(entity) : typeButton(entity),
    h('p', { class: 'facts' },
      'Created ', moment(entity.createdAt ?? ''), ' · changed ', moment(updatedAt ?? ''), ' · ',
      access ? ['used ', plural(access.count, 'time', 'times'), ', last ', moment(access.lastAccess ?? '')] : 'never used'),
    h('div', { class: 'actions' },
      !inGraph && h('a', { class: 'button', href: graphLink(name) }, 'Show in the graph'),
      inGraph && h('a', { class: 'button', href: entityLink(name) }, 'Leave the graph'),
      h('button', { type: 'button', class: 'danger', onclick: remove }, 'Delete')));
}

function typeButton(entity) {
  const button = h('button', { type: 'button', class: 'quiet', title: 'Change the type', onclick: () => {
    const form = typeForm(entity);
    button.replaceWith(form);
    form.querySelector('input').select();
  } }, typeTag(entity.entityType));
  return button;
}

function typeForm(entity) {
  const { name, entityType } = entity;
  const field = drafts.keep(h('input', { value: entityType, maxlength: 256, required: true, 'aria-label': 'Type', dir: 'auto' }), name, 'type');
  const close = () => {
    drafts.discard(name, 'type');
    const button = typeButton(entity);
    form.replaceWith(button);
    button.focus();
  };
  const form = saving(h('form', { class: 'inline' }, field, h('button', {}, 'Save'), cancel(close)), () => (field.value.trim() === entityType ? close()
    : change([tool('create_entities', { entities: [{ name, entityType: field.value }] }, { name, entityType })], `Changed the type of ${name}`,
      { saved: () => drafts.drop(name, 'type') })));
  const base = drafts.find(name, 'type')?.base ?? entityType;
  if (base !== entityType) form.append(h('p', { class: 'problem', role: 'alert' }, `It was changed meanwhile and is ${entityType} now. Save replaces that.`));
  escapes(form, close);
  return form;
}

function together({ together: all }, link) {
  if (all.length === 0) return '';
  return h('section', { class: 'together' }, heading('Used together with', all.length),
    rows(all, ({ name, count, last }) => h('li', {}, h('a', { href: link(name), dir: 'auto' }, name),
      h('small', {}, `${plural(count, 'time', 'times')}, last `, moment(last)))));
}
