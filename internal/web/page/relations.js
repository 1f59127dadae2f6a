// The relations of a memory.
import { call } from './api.js';
import { acting, change, tool } from './changes.js';
import * as drafts from './drafts.js';
import { h } from './dom.js';
import { clears, saving } from './forms.js';
import { heading, rows } from './rows.js';

export function relations({ name, relations: all }, link) {
  return h('section', { class: 'relations' }, heading('Relations', all.length),
    rows(all, (r) => relation(name, r, link)), adding(name));
}

const told = (r) => `${r.from} ${r.relationType} ${r.to}`;

function relation(name, r, link) {
  const out = r.from === name;
  const other = out ? r.to : r.from;
  const { from, to, relationType } = r;
  return h('li', {},
    h('span', { class: 'arrow', 'aria-label': out ? 'to' : 'from', role: 'img' }, out ? '→' : '←'),
    h('bdi', { class: 'kind' }, relationType), h('a', { href: link(other), dir: 'auto' }, other),
    h('div', { class: 'row-actions' },
      h('button', { type: 'button', class: 'quiet', 'aria-label': `Remove: ${told(r)}`,
        onclick: acting([tool('delete_relations', { relations: [{ from, to, relationType }] })], `Removed: ${told(r)}`) }, 'Remove')));
}

// relationParts are the drafts of the one relation that is being written.
export const relationParts = ['direction', 'relation', 'other memory'];

// draftOfRelation tells it, with … for what is not written yet.
export function draftOfRelation(name) {
  const [direction, relationType, other] = relationParts.map((part) => drafts.find(name, part)?.text.trim() || '…');
  return told(direction === 'in' ? { from: other, relationType, to: name } : { from: name, relationType, to: other });
}

function adding(name) {
  const names = h('datalist', { id: 'names' });
  const fields = [
    h('select', { 'aria-label': 'Direction' }, h('option', { value: 'out' }, '→ to'), h('option', { value: 'in' }, '← from')),
    h('input', { required: true, maxlength: 256, placeholder: 'relation', 'aria-label': 'Relation', dir: 'auto' }),
    h('input', { required: true, maxlength: 512, placeholder: 'other memory', 'aria-label': 'Other memory', list: 'names', autocomplete: 'off', dir: 'auto' }),
  ];
  relationParts.forEach((part, i) => drafts.keep(fields[i], name, part));
  const [direction, kind, other] = fields;
  other.addEventListener('input', () => suggest(other.value, names));
  const form = saving(h('form', { class: 'add relation' }, fields, names, h('button', {}, 'Add')), () => {
    const to = other.value.trim();
    const r = { ...(direction.value === 'out' ? { from: name, to } : { from: to, to: name }), relationType: kind.value.trim() };
    return change([tool('create_relations', { relations: [r] })], `Added: ${told(r)}`, { saved: () => drafts.drop(name, ...relationParts) });
  });
  return clears(form, () => drafts.discard(name, ...relationParts));
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
