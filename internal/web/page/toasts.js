// What happened, said for a while.
import { h, byId } from './dom.js';

const time = 12_000; // ms

// say tells what happened, with something to do about it: action is [label, f]. It
// returns what removes it early.
export function say(text, { action, bad = false } = {}) {
  const remove = () => toast.remove();
  const toast = h('div', { class: bad ? 'toast bad' : 'toast' }, h('span', { dir: 'auto' }, text),
    action && h('button', { type: 'button', onclick: () => { remove(); action[1](); } }, action[0]),
    h('button', { type: 'button', class: 'icon', 'aria-label': 'Close', onclick: remove }, '×'));
  byId('toasts').append(toast);
  setTimeout(remove, time);
  while (byId('toasts').children.length > 3) byId('toasts').firstChild.remove();
  return remove;
}
