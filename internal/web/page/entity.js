// One memory: what is known of it, and the ways to change that.
import { call, request } from './api.js';
import { change, say } from './changes.js';
import { h, byId } from './dom.js';
import { entityLink, graphLink, moment, plural, typeTag } from './text.js';

const pane = byId('entity');
const pageSize = 200; // rows drawn at a time
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
  const scroll = shown === entity.name ? pane.scrollTop : 0;
  shown = entity.name;
  pane.replaceChildren(head(entity, inGraph), observations(entity), relations(entity, link), together(entity, link));
  pane.hidden = false;
  pane.scrollTop = scroll;
  document.title = `${entity.name} – Memory`;
  return true;
}

// close shows none.
export function close() {
  asked++;
  shown = null;
  pane.hidden = true;
  pane.replaceChildren();
  document.title = 'Memory';
}

// focus goes to the heading.
export const focus = () => pane.querySelector('h1')?.focus({ preventScroll: true });

function fail(name, error) {
  shown = null;
  pane.hidden = false;
  pane.replaceChildren(backLink(),
    h('h1', { tabindex: '-1' }, error.status === 404 ? 'There is no such memory' : 'This memory cannot be shown'),
    h('p', { dir: 'auto' }, error.status === 404 ? `None is named “${name}”. It may have been deleted.` : error.message));
}

const backLink = () => h('a', { class: 'back', href: '#/' }, '← Results');

// edit makes a change, and says so where it fails.
async function edit(calls, done, options) {
  try {
    await change(calls, done, options);
    return true;
  } catch (error) {
    say(error.message, null, true);
    return false;
  }
}

const tool = (name, args) => ({ name, arguments: args });

function head(entity, inGraph) {
  const { name, access } = entity;
  const type = h('button', { type: 'button', class: 'quiet', title: 'Change the type' }, typeTag(entity.entityType));
  type.addEventListener('click', () => {
    const field = h('input', { value: entity.entityType, maxlength: 256, required: true, 'aria-label': 'Type', dir: 'auto' });
    const form = h('form', { class: 'inline', onsubmit: (event) => {
      event.preventDefault();
      edit([tool('create_entities', { entities: [{ name, entityType: field.value }] })], `Changed the type of ${name}`, { back: location.hash });
    } }, field, h('button', {}, 'Save'), cancel(() => form.replaceWith(type)));
    escapes(form, () => { form.replaceWith(type); type.focus(); });
    type.replaceWith(form);
    field.select();
  });
  return h('header', {}, backLink(),
    h('h1', { tabindex: '-1', dir: 'auto' }, name), type,
    h('p', { class: 'facts' },
      'Created ', moment(entity.createdAt ?? ''), ' · changed ', moment(entity.updatedAt ?? ''), ' · ',
      access ? ['used ', plural(access.count, 'time', 'times'), ', last ', moment(access.lastAccess ?? '')] : 'never used'),
    h('div', { class: 'actions' },
      !inGraph && h('a', { class: 'button', href: graphLink(name) }, 'Show in the graph'),
      inGraph && h('a', { class: 'button', href: entityLink(name) }, 'Leave the graph'),
      h('button', { type: 'button', class: 'danger', onclick: () => edit([tool('delete_entities', { entityNames: [name] })], `Deleted ${name}`, { to: inGraph ? '#/graph' : '#/', back: location.hash }) }, 'Delete')));
}

// escapes closes something with the Escape key.
function escapes(element, close) {
  element.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    close();
  });
}

const cancel = (close) => h('button', { type: 'button', class: 'quiet', onclick: close }, 'Cancel');

// sends has Ctrl or ⌘ and Enter send a form of several lines.
function sends(field) {
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      field.form.requestSubmit();
    }
  });
  return field;
}

// rows draws a long list piece by piece.
function rows(items, draw) {
  const list = h('ul', {});
  const more = h('button', { type: 'button', class: 'quiet more' });
  const grow = () => {
    const from = list.children.length;
    list.append(...items.slice(from, from + pageSize).map(draw));
    const left = items.length - list.children.length;
    more.hidden = left === 0;
    more.textContent = `Show more (${left.toLocaleString('en')})`;
  };
  more.addEventListener('click', grow);
  grow();
  return [list, more];
}

const heading = (text, count) => h('h2', {}, text, ' ', h('small', {}, count.toLocaleString('en')));

function observations({ name, observations: all }) {
  const field = sends(h('textarea', { rows: 1, required: true, maxlength: 1000000, placeholder: 'Add an observation', 'aria-label': 'New observation', dir: 'auto' }));
  return h('section', { class: 'observations' }, heading('Observations', all.length), rows(all, (o) => observation(name, o)),
    h('form', { class: 'add', onsubmit: async (event) => {
      event.preventDefault();
      await edit([tool('add_observations', { name, observations: [field.value.trim()] })], `Added an observation to ${name}`, { back: location.hash });
    } }, field, h('button', {}, 'Add')));
}

function observation(name, { content, createdAt }) {
  const row = h('li', {},
    h('p', { dir: 'auto' }, content),
    h('div', { class: 'row-actions' }, createdAt ? moment(createdAt) : null,
      h('button', { type: 'button', class: 'quiet', 'aria-label': `Edit: ${content.slice(0, 80)}`, onclick: () => editObservation(name, content, row) }, 'Edit'),
      h('button', { type: 'button', class: 'quiet', 'aria-label': `Remove: ${content.slice(0, 80)}`, onclick: () => edit([tool('delete_observations', { name, observations: [content] })], `Removed an observation of ${name}`, { back: location.hash }) }, 'Remove')));
  return row;
}

function editObservation(name, content, row) {
  const field = sends(h('textarea', { required: true, maxlength: 1000000, 'aria-label': 'Observation', dir: 'auto' }));
  field.value = content;
  const close = () => {
    form.replaceWith(row);
    row.querySelector('button').focus();
  };
  const form = h('form', { class: 'change', onsubmit: async (event) => {
    event.preventDefault();
    const text = field.value.trim();
    if (text === content) return close();
    // First the new one: if it is refused, the old one stays.
    await edit([tool('add_observations', { name, observations: [text] }), tool('delete_observations', { name, observations: [content] })],
      `Changed an observation of ${name}`, { back: location.hash });
  } }, field, h('div', { class: 'actions' }, h('button', { class: 'primary' }, 'Save'), cancel(close)));
  escapes(form, close);
  row.replaceWith(h('li', { class: 'editing' }, form));
  field.focus();
}

function relations({ name, relations: all }, link) {
  return h('section', { class: 'relations' }, heading('Relations', all.length),
    rows(all, (r) => relation(name, r, link)), addRelation(name));
}

function relation(name, r, link) {
  const out = r.from === name;
  const other = out ? r.to : r.from;
  return h('li', {},
    h('span', { class: 'arrow', 'aria-label': out ? 'to' : 'from', role: 'img' }, out ? '→' : '←'),
    h('bdi', { class: 'kind' }, r.relationType), h('a', { href: link(other), dir: 'auto' }, other),
    h('div', { class: 'row-actions' },
      h('button', { type: 'button', class: 'quiet', 'aria-label': `Remove: ${r.from} ${r.relationType} ${r.to}`,
        onclick: () => edit([tool('delete_relations', { relations: [{ from: r.from, to: r.to, relationType: r.relationType }] })], `Removed: ${r.from} ${r.relationType} ${r.to}`, { back: location.hash }) }, 'Remove')));
}

function addRelation(name) {
  const direction = h('select', { 'aria-label': 'Direction' }, h('option', { value: 'out' }, '→ to'), h('option', { value: 'in' }, '← from'));
  const kind = h('input', { required: true, maxlength: 256, placeholder: 'relation', 'aria-label': 'Relation', dir: 'auto' });
  const names = h('datalist', { id: 'names' });
  const other = h('input', { required: true, maxlength: 512, placeholder: 'other memory', 'aria-label': 'Other memory', list: 'names', autocomplete: 'off', dir: 'auto' });
  other.addEventListener('input', () => suggest(other.value, names));
  return h('form', { class: 'add relation', onsubmit: async (event) => {
    event.preventDefault();
    const to = other.value.trim();
    const r = direction.value === 'out' ? { from: name, to } : { from: to, to: name };
    r.relationType = kind.value.trim();
    await edit([tool('create_relations', { relations: [r] })], `Added: ${r.from} ${r.relationType} ${r.to}`, { back: location.hash });
  } }, direction, kind, other, names, h('button', {}, 'Add'));
}

let suggesting = null;

// suggest lists names that contain a text.
async function suggest(text, names) {
  suggesting?.abort();
  suggesting = new AbortController();
  if (!text.trim()) return;
  try {
    const { entities } = await call('search_nodes', { query: text, limit: 12 }, suggesting.signal);
    names.replaceChildren(...entities.map((e) => h('option', { value: e.name })));
  } catch {
    // it is only a suggestion
  }
}

function together({ together: all }, link) {
  if (all.length === 0) return '';
  return h('section', { class: 'together' }, heading('Used together with', all.length),
    rows(all, ({ name, count, last }) => h('li', {}, h('a', { href: link(name), dir: 'auto' }, name),
      h('small', {}, `${plural(count, 'time', 'times')}, last `, moment(last)))));
}
