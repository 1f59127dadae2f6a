// What was written for a memory that is gone.
import { redraw } from './changes.js';
import * as drafts from './drafts.js';
import { h } from './dom.js';
import { cancel, escapes } from './forms.js';
import { isObservation, rescued } from './observations.js';
import { draftOfRelation, relationParts } from './relations.js';

// written shows all drafts of a memory that is gone: each can be discarded, and an
// observation can be saved with the memory made anew.
export function written(name) {
  const others = drafts.of(name).filter((draft) => !isObservation(draft));
  const ofRelation = others.filter(({ part }) => relationParts.includes(part));
  return [...rescued(name),
    ...others.filter((draft) => !ofRelation.includes(draft)).map(({ part, text }) => shown(name, [part], part, text)),
    ...(ofRelation.length > 0 ? [shown(name, relationParts, 'relation', draftOfRelation(name))] : [])];
}

// shown is one that can only be copied: its place comes back with the memory.
function shown(name, parts, what, text) {
  const discard = () => { drafts.discard(name, ...parts); redraw(); };
  const box = h('div', { class: 'rescue' },
    h('p', { class: 'problem', role: 'alert' }, `The ${what} that you wrote for it is kept here and not saved.`),
    h('input', { readonly: true, value: text, 'aria-label': `Your ${what}`, dir: 'auto' }),
    h('div', { class: 'actions' }, cancel(discard, 'Discard')));
  escapes(box, discard);
  return box;
}
