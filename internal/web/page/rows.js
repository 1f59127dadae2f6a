// Long lists, drawn piece by piece.
import { h } from './dom.js';

const piece = 200; // rows

// rows draws a list: at least so many rows at first, the rest when it is asked for.
export function rows(items, draw, least = 0) {
  const list = h('ul', {});
  const more = h('button', { type: 'button', class: 'quiet more' });
  const grow = (by) => {
    const from = list.children.length;
    list.append(...items.slice(from, from + by).map(draw));
    const left = items.length - list.children.length;
    more.hidden = left === 0;
    more.textContent = `Show more (${left.toLocaleString('en')})`;
  };
  more.addEventListener('click', () => grow(piece));
  grow(Math.max(piece, least));
  return [list, more];
}

export const heading = (text, count) => h('h2', {}, text, ' ', h('small', {}, count.toLocaleString('en')));
