// Changes: each is said, and can be taken back for as long as the server keeps it.
import { request } from './api.js';
import { h, byId } from './dom.js';

const undoable = []; // the newest last
let changed = async () => {};

// onChange says what to do after each change: f(hash), with where to go, if anywhere.
export function onChange(f) {
  changed = f;
}

// change calls tools as one change. It throws what makes it fail, and returns the
// answers. done is what to say, back where undoing leads.
export async function change(calls, done, { to, back } = {}) {
  const { answers, undo: ticket } = await request('call', { calls });
  const problem = answers.map(problemOf).find(Boolean);
  if (problem) throw new Error(problem);
  if (!ticket) {
    say('Nothing to change: it is there already.');
    return answers;
  }
  const entry = { id: ticket.id, done, back };
  undoable.push(entry);
  setTimeout(() => forget(entry), ticket.seconds * 1000);
  showUndo();
  say(done, entry);
  await changed(to);
  return answers;
}

// problemOf is what a tool reports of the one thing it was asked for.
const problemOf = (answer) => answer.errors?.[0] ?? answer.relations?.find((r) => r.error)?.error;

// undoLast takes the newest change back.
export function undoLast() {
  const entry = undoable.at(-1);
  if (entry) return undo(entry);
  say('There is nothing to undo.');
}

async function undo(entry) {
  forget(entry);
  try {
    const { incomplete } = await request('undo', { id: entry.id });
    say(incomplete ? 'Undone, but for relations with what is not there any more.' : `Undone: ${entry.done}`);
    await changed(entry.back);
  } catch (error) {
    if (error.status !== 410) { // it may work later
      undoable.push(entry);
      showUndo();
    }
    say(error.message, null, true);
  }
}

function forget(entry) {
  const at = undoable.indexOf(entry);
  if (at >= 0) undoable.splice(at, 1);
  entry.toast?.remove();
  showUndo();
}

function showUndo() {
  const button = byId('undo');
  const last = undoable.at(-1);
  button.hidden = !last;
  if (last) {
    button.title = `${last.done} (u)`;
    button.setAttribute('aria-label', `Undo: ${last.done}`);
  }
}

const toastTime = 12_000;

// say tells what happened, for a while, with a way to take it back.
export function say(text, entry = null, bad = false) {
  const toast = h('div', { class: bad ? 'toast bad' : 'toast' }, h('span', { dir: 'auto' }, text));
  if (entry) {
    entry.toast = toast;
    toast.append(h('button', { type: 'button', onclick: () => undo(entry) }, 'Undo'));
  }
  toast.append(h('button', { type: 'button', class: 'icon', 'aria-label': 'Close', onclick: () => toast.remove() }, '×'));
  byId('toasts').append(toast);
  setTimeout(() => toast.remove(), toastTime);
  while (byId('toasts').children.length > 3) byId('toasts').firstChild.remove();
}
