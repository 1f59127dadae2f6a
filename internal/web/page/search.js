// The search box and its results. While one types, words are looked for; after a
// short pause, the meaning.
import { call, isGone, request } from './api.js';
import { h, byId } from './dom.js';
import { contains, entityLink, excerpt, marked, plural, typeTag } from './text.js';
import { breakdown, relevance } from './score.js';

const wordsPause = 120; // ms
const meaningPause = 450;
const limit = 30;

const box = byId('query');
const list = byId('list');
let running = null; // what asks at the moment
let timers = [];

// start listens to the box.
export function start() {
  box.addEventListener('input', () => schedule(wordsPause, meaningPause));
  box.form.addEventListener('submit', (event) => {
    event.preventDefault();
    schedule(0, 0);
  });
}

export const query = () => box.value.trim();

// refresh searches again, as after a change.
export function refresh() {
  return query() ? schedule(0, 0) : showMostUsed(begin());
}

// begin makes all earlier questions void, whose answers may come late.
function begin() {
  timers.forEach(clearTimeout);
  running?.abort();
  running = new AbortController();
  return running.signal;
}

function schedule(words, meaning) {
  const signal = begin();
  const asked = query();
  if (!asked) {
    showMostUsed(signal);
    return;
  }
  let byMeaning = false; // is shown already
  timers = [
    setTimeout(() => guard(signal, async () => {
      const found = await call('search_nodes', { query: asked, limit }, signal);
      if (!byMeaning && !signal.aborted) showWords(asked, found);
    }), words),
    setTimeout(() => guard(signal, async () => {
      byId('results').classList.add('waiting');
      const found = await call('search_semantic', { query: asked, limit, explain: true }, signal);
      byMeaning = true;
      if (!signal.aborted) showMeaning(asked, found);
    }), meaning),
  ];
}

// guard shows what goes wrong, unless nobody wants to know any more.
async function guard(signal, ask) {
  try {
    await ask();
  } catch (error) {
    if (signal.aborted) return;
    if (error.status === 503) summary('By words only. ', error.message);
    else if (!isGone(error)) summary(error.message);
  } finally {
    if (!signal.aborted) byId('results').classList.remove('waiting');
  }
}

const summary = (...text) => byId('summary').replaceChildren(...text);

async function showMostUsed(signal) {
  await guard(signal, async () => {
    const { nodes, total } = await request('most-used', { limit }, signal);
    if (signal.aborted) return;
    if (total === 0) {
      showEmpty();
      return;
    }
    summary(`${plural(total, 'memory', 'memories')}, the most used first`);
    show(nodes.map((node) => item(node, h('p', { class: 'counts' },
      `${plural(node.degree, 'relation', 'relations')} · used ${plural(node.accesses, 'time', 'times')}`))));
  });
}

function showEmpty() {
  summary('');
  list.replaceChildren(h('li', { class: 'empty' },
    h('h2', {}, 'Nothing is remembered yet'),
    h('p', {}, 'Your agent fills this memory as you work with it. To connect one, run ', h('code', {}, 'mcp-memory install'), '.'),
    h('p', {}, 'Or write down the first thing yourself.'),
    h('button', { type: 'button', class: 'primary', onclick: () => byId('new').click() }, 'New memory')));
}

function showWords(asked, { entities, total }) {
  summary(total === 0 ? 'No words match' : `${plural(total, 'memory', 'memories')} by words${total > entities.length ? `, the first ${entities.length} of them here` : ''}`);
  show(entities.map((e) => {
    const hit = e.observations.find((o) => contains(o, asked)) ?? e.observations[0];
    return item(e, hit && matched(hit, asked), asked);
  }));
}

function showMeaning(asked, { results, pending, resultsOmitted }) {
  summary(results.length === 0 ? 'Nothing found' : `${plural(results.length, 'memory', 'memories')} by meaning`,
    pending ? `. ${plural(pending, 'memory is', 'memories are')} not embedded yet, found by words only` : '',
    resultsOmitted ? `. ${resultsOmitted} more left out for length` : '');
  const open = new Set([...list.querySelectorAll('details[open]')].map((d) => d.dataset.name));
  show(results.map((hit) => item(hit, [
    hit.match && matched(hit.match, asked),
    h('details', { class: 'why', 'data-name': hit.name, open: open.has(hit.name) },
      h('summary', {}, h('span', {}, 'Why'), relevance(hit)), breakdown(hit)),
  ], asked, hit.weak)));
}

const matched = (text, asked) => h('p', { class: 'match', dir: 'auto' }, marked(excerpt(text, asked), asked));

function item(entity, detail, asked = '', weak = false) {
  return h('li', { class: weak ? 'result weak' : 'result', 'data-name': entity.name },
    h('a', { href: entityLink(entity.name) },
      h('bdi', { class: 'name' }, marked(entity.name, asked)), typeTag(entity.entityType)),
    detail);
}

// show replaces the results, and keeps the focus where it is.
function show(items) {
  const focused = document.activeElement?.closest?.('#list li')?.dataset.name;
  list.replaceChildren(...items);
  markCurrent();
  if (focused) links().find((a) => a.parentNode.dataset.name === focused)?.focus();
}

let current = null;

// setCurrent marks the result that is open.
export function setCurrent(name) {
  current = name;
  markCurrent();
}

function markCurrent() {
  for (const a of links()) {
    if (a.parentNode.dataset.name === current) a.setAttribute('aria-current', 'true');
    else a.removeAttribute('aria-current');
  }
}

const links = () => [...list.querySelectorAll('li > a')];

// focusResult goes from result to result: by is how far; from the box, to the first.
export function focusResult(by) {
  const all = links();
  const at = all.indexOf(document.activeElement?.closest('#list li')?.querySelector('a'));
  if (at + by < 0) box.focus();
  else all[Math.min(at + by, all.length - 1)]?.focus();
}

// focusCurrent goes back to the result that was open, or to the box.
export function focusCurrent(name) {
  (links().find((a) => a.parentNode.dataset.name === name) ?? box).focus();
}

// toggleWhy opens or closes the breakdown of the result in focus, or of the first.
export function toggleWhy() {
  const details = (document.activeElement?.closest('#list li') ?? list).querySelector('details');
  if (details) details.open = !details.open;
}
