// Texts for people: what matched, times, numbers, links.
import { h } from './dom.js';

// letters are those that NFD leaves whole, as the server folds them.
const letters = {
  đ: 'd', ð: 'd', ħ: 'h', ı: 'i', ĸ: 'q', ł: 'l', ŋ: 'n', ø: 'o', ŧ: 't', æ: 'ae', œ: 'oe', þ: 'th', ß: 'ss', ς: 'σ',
  ɓ: 'b', ɖ: 'd', ɗ: 'd', ə: 'e', ǝ: 'e', ɛ: 'e', ƒ: 'f', ǥ: 'g', ɣ: 'g', ɨ: 'i', ɩ: 'i', ƙ: 'k',
  ɲ: 'n', ɔ: 'o', ɵ: 'o', ʉ: 'u', ʋ: 'v', ƴ: 'y', ƶ: 'z', ٱ: 'ا', ک: 'ك', ی: 'ي', ہ: 'ه',
};

// fold is a text without case and accents, with the places in the original where the character of each unit
// begins and ends.
function fold(text) {
  let folded = '';
  const starts = [];
  const ends = [];
  let place = 0;
  for (const character of text) {
    const bare = character.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
    const plain = letters[bare] ?? bare;
    for (let i = 0; i < plain.length; i++) {
      starts.push(place);
      ends.push(place + character.length);
    }
    folded += plain;
    place += character.length;
  }
  return { folded, starts, ends };
}

// found lists where a text contains the query, or else its words: [from, to), in order.
function found(text, query) {
  const { folded, starts, ends } = fold(text);
  const whole = fold(query.trim()).folded;
  const words = whole.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 2);
  const ranges = [];
  for (const needle of whole && folded.includes(whole) ? [whole] : words) {
    for (let at = folded.indexOf(needle); at >= 0; at = folded.indexOf(needle, at + needle.length)) {
      ranges.push([starts[at], ends[at + needle.length - 1]]);
    }
  }
  return ranges.sort((a, b) => a[0] - b[0]);
}

export const contains = (text, query) => found(text, query).length > 0;

// marked is a text of which what matches the query is marked.
export function marked(text, query) {
  const parts = [];
  let done = 0;
  for (const [from, to] of found(text, query)) {
    if (from < done) continue;
    parts.push(text.slice(done, from), h('mark', {}, text.slice(from, to)));
    done = to;
  }
  return [...parts, text.slice(done)];
}

// excerpt is the part of a long text around what matches the query.
export function excerpt(text, query, length = 220) {
  if (text.length <= length) return text;
  const first = found(text, query)[0]?.[0] ?? 0;
  let from = Math.max(0, Math.min(first - length / 3, text.length - length));
  if (from > 0) from = text.indexOf(' ', from) + 1 || from;
  return (from > 0 ? '… ' : '') + text.slice(from, from + length).trim() + (from + length < text.length ? ' …' : '');
}

export const plural = (n, one, many) => `${n.toLocaleString('en')} ${n === 1 ? one : many}`;

// moment is when something stored happened, as a <time>. What no program of ours wrote is shown as it is.
export function moment(stored) {
  const date = new Date(stored.replace(' ', 'T') + 'Z');
  if (!stored || Number.isNaN(date.getTime())) return h('span', {}, stored || 'unknown');
  return h('time', { datetime: date.toISOString(), title: date.toLocaleString() }, relative(date));
}

const steps = [['year', 31557600], ['month', 2629800], ['week', 604800], ['day', 86400], ['hour', 3600], ['minute', 60]];

function relative(date) {
  const seconds = (date - Date.now()) / 1000;
  const format = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
  for (const [unit, length] of steps) {
    if (Math.abs(seconds) >= length) return format.format(Math.round(seconds / length), unit);
  }
  return 'just now';
}

// entityLink is where a memory is shown.
export const entityLink = (name) => `#/entity/${encodeURIComponent(name)}`;
export const graphLink = (name) => `#/graph/${encodeURIComponent(name)}`;

const palette = ['#4e79a7', '#e08a3c', '#59a14f', '#a8729b', '#d1605e', '#5fa39e', '#9c755f', '#c9a227', '#c77c97', '#8a8580'];

const colours = new Map(); // by type, in the order in which they are met

// colour of a type: that of another only where there are very many types.
export function colour(type) {
  if (!colours.has(type)) colours.set(type, palette[colours.size % palette.length]);
  return colours.get(type);
}

// typeTag names a type behind a dot of its colour.
export function typeTag(type) {
  const dot = h('i', { class: 'dot', 'aria-hidden': 'true' });
  dot.style.backgroundColor = colour(type);
  return h('span', { class: 'type' }, dot, h('bdi', {}, type));
}
