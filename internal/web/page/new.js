// A new memory.
import { change, say } from './changes.js';
import { h, showDialog, byId } from './dom.js';
import { entityLink } from './text.js';

// ask asks for a new memory and makes it.
export function ask() {
  const name = h('input', { id: 'new-name', required: true, maxlength: 512, autocomplete: 'off', dir: 'auto' });
  const type = h('input', { id: 'new-type', maxlength: 256, placeholder: 'Generic', autocomplete: 'off', dir: 'auto' });
  const facts = h('textarea', { id: 'new-facts', rows: 4, dir: 'auto' });
  const close = () => byId('dialog').close();
  const form = h('form', { onsubmit: async (event) => {
    event.preventDefault();
    const entity = { name: name.value, observations: facts.value.split('\n').map((line) => line.trim()).filter(Boolean) };
    if (type.value.trim()) entity.entityType = type.value;
    try {
      const title = entity.name.trim().normalize('NFC');
      await change([{ name: 'create_entities', arguments: { entities: [entity] } }], `Wrote down ${title}`, { to: entityLink(title), back: '#/' });
      close();
    } catch (error) {
      say(error.message, null, true);
    }
  } },
  h('h2', {}, 'New memory'),
  h('label', { for: 'new-name' }, 'Name'), name,
  h('label', { for: 'new-type' }, 'Type'), type,
  h('label', { for: 'new-facts' }, 'Observations, one a line'), facts,
  h('p', { class: 'hint' }, 'A memory of this name that exists gets the observations that it does not have yet.'),
  h('div', { class: 'actions' }, h('button', { class: 'primary' }, 'Write down'), h('button', { type: 'button', class: 'quiet', onclick: close }, 'Cancel')));
  const done = showDialog('New memory', form);
  name.focus();
  return done;
}
