// The keyboard.
import { h, byId, showDialog, typing } from './dom.js';
import { undoLast } from './changes.js';
import * as search from './search.js';

const keys = [
  ['/', 'search'], ['↓ ↑', 'go through the results'], ['Enter', 'open'], ['Esc', 'back; clear the search; discard what is written in a form'],
  ['e', 'why a result is where it is'], ['g', 'graph'], ['n', 'new memory'], ['u', 'undo the last change'],
  ['t', 'light, dark, or as the system'], ['?', 'this help'],
  ['Ctrl Enter', 'save what you write'], ['+ − 0, arrows', 'in the graph: zoom, fit, move'],
];

// help shows the keys.
export function help() {
  return showDialog('Help',
    h('form', { method: 'dialog' }, h('h2', {}, 'Keys'),
      h('dl', { class: 'keys' }, keys.map(([key, what]) => [h('dt', {}, key.split(' ').map((k) => h('kbd', {}, k))), h('dd', {}, what)])),
      h('p', { class: 'hint' }, 'While you type, words are searched; after a pause, the meaning. Looking at memories here does not count as use. What you change can be undone for 10 minutes. What you write and do not save is kept as long as the tab is open.'),
      h('div', { class: 'actions' }, h('button', { class: 'primary' }, 'Close'))));
}

// start listens. back is what Escape does outside of fields.
export function start(back) {
  const actions = {
    '/': () => { byId('query').focus(); byId('query').select(); },
    g: () => byId('to-graph').click(),
    n: () => byId('new').click(),
    t: () => byId('theme').click(),
    u: undoLast,
    e: search.toggleWhy,
    '?': help,
    Escape: back,
  };
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || byId('dialog').open) return;
    const inBox = event.target === byId('query');
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      if (!inBox && !event.target.closest?.('#list')) return;
      event.preventDefault();
      search.focusResult(event.key === 'ArrowDown' ? 1 : -1);
      return;
    }
    if (inBox && event.key === 'Escape') {
      event.preventDefault();
      clear(byId('query'));
      return;
    }
    if (typing(event.target)) return;
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}

function clear(box) {
  if (!box.value) {
    box.blur();
    return;
  }
  box.value = '';
  box.dispatchEvent(new Event('input'));
}
