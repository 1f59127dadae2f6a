// Changes: each is said, and can be taken back for as long as the server keeps it,
// also when the page was loaded anew.
import { isGone, request } from './api.js';
import { byId } from './dom.js';
import { load, save } from './storage.js';
import { plural } from './text.js';
import { say } from './toasts.js';

const storageKey = 'undo';
const undoable = load(storageKey); // { id, done, back, until }, the newest last
let changed = async () => {};

// onChange says what to do after each change: f(hash), with where to go, if anywhere.
export function onChange(f) {
  changed = f;
}

// redraw shows what is there now.
export const redraw = () => changed();

// change calls tools as one change. It throws what makes it fail. done is what to
// say, back where undoing leads; saved is called as soon as the server has it.
export async function change(calls, done, { to, back = location.hash, saved } = {}) {
  const { answers, undo: ticket } = await request('call', { calls });
  const problem = answers.map(problemOf).find(Boolean);
  if (problem) throw new Error(problem);
  saved?.();
  if (ticket) {
    const entry = { id: ticket.id, done, back };
    undoable.push(entry);
    expire(entry, ticket.seconds);
    entry.unsay = say(done, { action: ['Undo', () => undo(entry)] });
  } else {
    say('Nothing to change: it is so already.');
  }
  await changed(to);
}

// acting is what a button does that makes a change at once. Of a double click the
// second is for nothing: nor is it for what stands in the button's place by then.
export const acting = (calls, done, options) => (event) => (event.detail > 1 ? undefined : act(calls, done, options));

const doing = new Set(); // calls that are on their way, as JSON

// act is change that says what makes it fail, and shows what is there then.
async function act(calls, done, options) {
  const key = JSON.stringify(calls);
  if (doing.has(key)) return;
  doing.add(key);
  try {
    await change(calls, done, options);
  } catch (error) {
    say(`Not done: ${error.message}`, { bad: true });
    if (!isGone(error)) await changed(); // others may have been there first
  } finally {
    doing.delete(key);
  }
}

// tool is one call of a change; expect is what is shown of the memory that it changes.
export const tool = (name, args, expect) => ({ name, arguments: args, expect });

// problemOf is what a tool reports of the one thing it was asked for.
const problemOf = (answer) => answer.errors?.[0] ?? answer.relations?.find((r) => r.error)?.error;

// undoLast takes the newest change back.
export function undoLast() {
  const entry = undoable.at(-1);
  if (entry) return undo(entry);
  say('There is nothing to undo.');
}

async function undo(entry) {
  if (entry.busy) return;
  entry.busy = true;
  try {
    const { incomplete } = await request('undo', { id: entry.id });
    forget(entry);
    say(incomplete ? 'Undone, but for relations with what is not there any more.' : `Undone: ${entry.done}`);
    await changed(entry.back);
  } catch (error) {
    if (error.status === 410) forget(entry); // else it may work later
    say(error.status === 404 ? `Cannot be undone: ${error.message}` : error.message, { bad: true });
  } finally {
    entry.busy = false;
  }
}

// recall asks what can be undone of what is remembered, and says what cannot any
// more, although it is in time: as where the server was started anew.
export async function recall() {
  showUndo();
  const asked = [...undoable];
  if (asked.length === 0) return;
  let seconds;
  try {
    ({ seconds } = await request('undoable', { ids: asked.map((entry) => entry.id) }));
  } catch {
    return; // whoever undoes is told
  }
  let lost = 0;
  for (const entry of asked) {
    if (entry.id in seconds) {
      expire(entry, seconds[entry.id]);
      continue;
    }
    if (undoable.includes(entry) && Date.now() < entry.until) lost++;
    forget(entry);
  }
  if (lost > 0) say(`${plural(lost, 'change', 'changes')} can no longer be undone: the server does not keep them any more, as it was started anew.`);
}

// expire has an entry be forgotten after a time, and remembers it until then.
function expire(entry, seconds) {
  entry.until = Date.now() + seconds * 1000;
  clearTimeout(entry.timer);
  entry.timer = setTimeout(forget, seconds * 1000, entry);
  remember();
}

function forget(entry) {
  const at = undoable.indexOf(entry);
  if (at >= 0) undoable.splice(at, 1);
  clearTimeout(entry.timer);
  entry.unsay?.();
  remember();
}

function remember() {
  save(storageKey, undoable.map(({ id, done, back, until }) => ({ id, done, back, until })));
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
