// Drafts: what is written into fields and not saved. They are kept where something
// else is chosen, drawn anew or loaded anew, until they are saved or discarded.
import { byId } from './dom.js';
import { load, save } from './storage.js';
import { say } from './toasts.js';

const storageKey = 'drafts';
const kept = new Map(load(storageKey)); // by key

// A draft is { name, part, text, base }: of which memory (null for a new one), of
// what of it, and what was there when it was begun.
const keyOf = (name, part) => JSON.stringify([name, part]);

let inView = ''; // the memory whose fields are seen
let unsay = () => {};
let lead = () => {};

// start shows by the button where drafts are; leads is what leads to one: f(name).
export function start(leads) {
  lead = leads;
  byId('unsaved').addEventListener('click', () => lead(elsewhere().at(-1).name));
  addEventListener('beforeunload', (event) => {
    if (kept.size > 0) event.preventDefault(); // closing the tab would lose them
  });
  for (const leaving of ['pagehide', 'visibilitychange']) addEventListener(leaving, () => save(storageKey, [...kept]));
  show();
}

// of lists the drafts of a memory.
export const of = (name) => [...kept.values()].filter((draft) => draft.name === name);

export const find = (name, part) => kept.get(keyOf(name, part));

// keep has a field keep what is written into it, and takes over what was kept.
export function keep(field, name, part, base = field.value) {
  const key = keyOf(name, part);
  const draft = kept.get(key) ?? { name, part, base };
  const unchanged = field.value;
  field.dataset.draft = key;
  field.value = draft.text ?? unchanged;
  field.addEventListener('input', () => {
    if (field.value === unchanged) kept.delete(key);
    else kept.set(key, { ...draft, text: field.value });
    show();
  });
  return field;
}

// drop forgets drafts of a memory that are saved.
export function drop(name, ...parts) {
  for (const part of parts) kept.delete(keyOf(name, part));
  show();
}

// discard forgets drafts that are not wanted, and offers to bring them back, in
// place of what was written since.
export function discard(name, ...parts) {
  const dropped = parts.map((part) => find(name, part)).filter(Boolean);
  drop(name, ...parts);
  if (dropped.length === 0) return;
  say('What you wrote is discarded.', { action: ['Bring it back', () => {
    discard(name, ...parts);
    for (const draft of dropped) kept.set(keyOf(name, draft.part), draft);
    lead(name);
  }] });
}

// view notes which memory's fields are seen now ('' for none), and says what stays behind.
export function view(name) {
  const before = inView;
  inView = name;
  if (before !== name) unsay();
  if (before !== name && of(before).length > 0) {
    unsay = say(`What you wrote at ${before} is kept, and not saved yet.`, { action: ['Go back', () => lead(before)] });
  }
  show();
}

const elsewhere = () => [...kept.values()].filter((draft) => draft.name !== inView);

function show() {
  const names = [...new Set(elsewhere().map(({ name }) => name ?? 'a new memory'))];
  const button = byId('unsaved');
  button.hidden = names.length === 0;
  button.title = `Not saved: ${names.join(', ')}`;
  button.setAttribute('aria-label', button.title);
}
