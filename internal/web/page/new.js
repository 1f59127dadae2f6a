// A new memory.
import { change, tool } from './changes.js';
import * as drafts from './drafts.js';
import { h, showDialog, byId } from './dom.js';
import { cancel, saving, sends } from './forms.js';
import { entityLink } from './text.js';

const parts = ['name', 'type', 'observations'];

// ask asks for a new memory and makes it. What was written before is there again.
export function ask() {
  const fields = [
    h('input', { id: 'new-name', required: true, maxlength: 512, autocomplete: 'off', dir: 'auto' }),
    h('input', { id: 'new-type', maxlength: 256, placeholder: 'Generic', autocomplete: 'off', dir: 'auto' }),
    sends(h('textarea', { id: 'new-facts', rows: 4, dir: 'auto' })),
  ];
  parts.forEach((part, i) => drafts.keep(fields[i], null, part));
  const [name, type, facts] = fields;
  const close = () => byId('dialog').close();
  const form = h('form', {},
    h('h2', {}, 'New memory'),
    h('label', { for: 'new-name' }, 'Name'), name,
    h('label', { for: 'new-type' }, 'Type'), type,
    h('label', { for: 'new-facts' }, 'Observations, one a line'), facts,
    h('p', { class: 'hint' }, 'A memory of this name that exists gets the observations that it does not have yet.'),
    h('div', { class: 'actions' }, h('button', { class: 'primary' }, 'Write down'), cancel(() => { drafts.discard(null, ...parts); close(); })));
  saving(form, async () => {
    const entity = { name: name.value, observations: facts.value.split('\n').map((line) => line.trim()).filter(Boolean) };
    if (type.value.trim()) entity.entityType = type.value;
    const title = entity.name.trim().normalize('NFC');
    await change([tool('create_entities', { entities: [entity] })], `Wrote down ${title}`, { to: entityLink(title), back: '#/', saved: () => drafts.drop(null, ...parts) });
    close();
  });
  const done = showDialog('New memory', form);
  name.focus();
  return done;
}
