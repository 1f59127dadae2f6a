// A new memory.
import { call } from './api.js';
import { change, tool } from './changes.js';
import * as drafts from './drafts.js';
import { h, showDialog, byId } from './dom.js';
import { cancel, saving, sends } from './forms.js';
import { entityLink } from './text.js';

const parts = ['name', 'type', 'observations'];

// existing is the memory that has a name already, or undefined.
async function existing(name) {
  if (!name) return undefined;
  const { entities } = await call('open_nodes', { names: [name] });
  return entities[0];
}

const hint = (there) => (there
  ? `${there.name} is there already, of type ${there.entityType}. It gets the observations that it does not have yet, and keeps its type.`
  : 'A memory of this name that exists gets the observations that it does not have yet, and keeps its type.');

// ask asks for a new memory and makes it. What was written before is there again.
export function ask() {
  const fields = [
    h('input', { id: 'new-name', required: true, maxlength: 512, autocomplete: 'off', dir: 'auto' }),
    h('input', { id: 'new-type', maxlength: 256, placeholder: 'Generic', autocomplete: 'off', dir: 'auto' }),
    sends(h('textarea', { id: 'new-facts', rows: 4, dir: 'auto' })),
  ];
  parts.forEach((part, i) => drafts.keep(fields[i], null, part));
  const [name, type, facts] = fields;
  const said = h('p', { class: 'hint', 'aria-live': 'polite', dir: 'auto' }, hint());
  const look = async () => {
    const asked = name.value.trim();
    const there = await existing(asked);
    if (name.value.trim() === asked) said.textContent = hint(there);
    return there;
  };
  const glance = () => look().catch(() => {}); // whoever saves is told what is wrong
  name.addEventListener('change', glance);
  const discard = () => drafts.discard(null, ...parts);
  const close = () => byId('dialog').close();
  const form = h('form', {},
    h('h2', {}, 'New memory'),
    h('label', { for: 'new-name' }, 'Name'), name,
    h('label', { for: 'new-type' }, 'Type'), type,
    h('label', { for: 'new-facts' }, 'Observations, one a line'), facts,
    said,
    h('div', { class: 'actions' }, h('button', { class: 'primary' }, 'Write down'), cancel(() => { discard(); close(); })));
  saving(form, async () => {
    const there = await look();
    const entityType = type.value.trim();
    if (there && entityType && entityType !== there.entityType) {
      throw new Error(`${there.name} is there already, of type ${there.entityType}. Leave Type empty to add the observations to it; its type is changed where it is shown.`);
    }
    const entity = { name: name.value.trim(), observations: facts.value.split('\n').map((line) => line.trim()).filter(Boolean) };
    if (entityType) entity.entityType = entityType;
    const expect = { name: entity.name, ...(there ? { entityType: there.entityType } : { absent: true }) };
    const title = there?.name ?? entity.name.normalize('NFC');
    await change([tool('create_entities', { entities: [entity] }, expect)], `Wrote down ${title}`,
      { to: entityLink(title), back: there ? entityLink(title) : '#/', saved: () => drafts.drop(null, ...parts) });
    close();
  });
  const done = showDialog('New memory', form);
  byId('dialog').oncancel = () => { // by the Escape key
    if (form.isConnected) discard();
  };
  name.focus();
  if (name.value) glance();
  return done;
}
