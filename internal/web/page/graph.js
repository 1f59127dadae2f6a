// The graph: memories as points, relations as lines. It begins with the most used
// memories, or with one; choosing a memory brings its neighbours, page by page.
import './vendor/graph.min.js';
import { request } from './api.js';
import { h, byId } from './dom.js';
import { follow, restart, arrange } from './layout.js';
import { looks, makeRenderer } from './renderer.js';
import { colour, entityLink, graphLink, plural } from './text.js';
import { say } from './toasts.js';

const startSize = 60; // of the most used
const neighbourPage = 25;
const outlinePage = 1000;
const most = 20_000; // nodes that "Everything" shows

const graph = new globalThis.graphology.DirectedGraph();
const linked = new Set(); // pairs of nodes that pull each other
const expanded = new Map(); // name to how many of its neighbours were brought, and of how many
let renderer = null;
let chosen = null;
let turn = 0; // counts what the graph is filled with anew
let filling = null; // the turn that brings everything, while it does

// show shows the graph, with a memory chosen and its neighbours around it.
export async function show(name) {
  renderer ??= start();
  renderer.refresh();
  chosen = name;
  if (name === null && graph.order === 0 && filling !== turn) await mostUsed();
  if (name !== null && !expanded.has(name)) await expand(name);
  if (name !== chosen) return;
  looks.choose(graph, name);
  renderer.refresh();
  tell();
}

// reload shows as it is now what may have changed: the chosen memory and its
// relations.
export async function reload() {
  if (chosen !== null && graph.hasNode(chosen)) graph.forEachEdge(chosen, (edge) => graph.dropEdge(edge));
  expanded.delete(chosen);
  await show(chosen);
}

// forget empties the graph: it is read anew when it is shown.
export function forget() {
  turn++;
  graph.clear();
  linked.clear();
  expanded.clear();
  restart();
}

// restyle takes over the colours of another theme.
export const restyle = () => renderer && looks.restyle(renderer);

function start() {
  const made = makeRenderer(graph, byId('canvas'), (name) => {
    if (name === chosen) more();
    else location.hash = graphLink(name);
  });
  follow(graph, made);
  byId('graph-used').addEventListener('click', () => { forget(); location.hash = '#/graph'; show(null); });
  byId('graph-all').addEventListener('click', everything);
  byId('graph-tools').hidden = false;
  return made;
}

// guarded says what goes wrong.
async function guarded(ask) {
  const mine = turn;
  try {
    const answer = await ask();
    return mine === turn ? answer : null;
  } catch (error) {
    note(error.message);
    return null;
  }
}

async function mostUsed() {
  const answer = await guarded(() => request('most-used', { limit: startSize }));
  if (answer) add(answer);
}

// expand brings the next page of a memory's neighbours.
async function expand(name) {
  const offset = expanded.get(name)?.brought ?? 0;
  const answer = await guarded(() => request('neighbours', { name, limit: neighbourPage, offset, shown: graph.nodes() }));
  if (!answer) return;
  expanded.set(name, { brought: Math.min(offset + neighbourPage, answer.total), total: answer.total });
  add(answer, name);
}

async function more() {
  if (chosen === null) return;
  await expand(chosen);
  looks.choose(graph, chosen);
  tell();
}

async function everything() {
  forget();
  const mine = turn;
  filling = mine;
  chosen = null;
  location.hash = '#/graph';
  await bringAll(mine);
  if (filling === mine) filling = null;
}

async function bringAll(mine) {
  for (let offset = 0; offset < most; offset += outlinePage) {
    const answer = await guarded(() => request('outline', { limit: outlinePage, offset }));
    if (!answer || mine !== turn) return;
    add(answer);
    tell();
    if (offset + outlinePage >= answer.total) return;
  }
  say(`The graph shows the first ${most.toLocaleString('en')} memories.`);
}

// add adds nodes, new ones around that of a name, and relations.
function add({ nodes, relations }, around = null) {
  const centre = around !== null && graph.hasNode(around) ? graph.getNodeAttributes(around) : { x: 0, y: 0 };
  const places = [];
  for (const { name, entityType, degree } of nodes) {
    const look = { label: name, kind: entityType, color: colour(entityType), size: Math.min(16, 3 + 1.4 * Math.sqrt(degree)) };
    if (graph.hasNode(name)) {
      graph.mergeNodeAttributes(name, look);
      continue;
    }
    // On a spiral, so that no two are at one place.
    const i = graph.order;
    const r = (around === null ? 12 : 30) * Math.sqrt(1 + places.length);
    const x = centre.x + r * Math.cos(2.4 * i);
    const y = centre.y + r * Math.sin(2.4 * i);
    graph.addNode(name, { ...look, x, y, index: i });
    places.push([x, y]);
  }
  const links = [];
  for (const { from, to, relationType } of relations) {
    if (from === to) continue;
    if (graph.hasEdge(from, to)) {
      const known = graph.getEdgeAttribute(graph.edge(from, to), 'kinds');
      if (!known.includes(relationType)) known.push(relationType);
      continue;
    }
    graph.addEdge(from, to, { kinds: [relationType], size: 1 });
    const pair = [graph.getNodeAttribute(from, 'index'), graph.getNodeAttribute(to, 'index')];
    if (!linked.has(String(pair))) links.push(pair);
    linked.add(String(pair));
  }
  if (places.length + links.length > 0) arrange({ add: places, links });
  legend();
}

// tell says what is shown, and what more there is.
function tell() {
  const shown = `${plural(graph.order, 'memory', 'memories')}, ${plural(graph.size, 'connection', 'connections')}`;
  const { brought, total } = expanded.get(chosen) ?? {};
  if (graph.order === 0) note('The memory is empty: there is nothing to draw yet.');
  else if (chosen === null || total === undefined) note(`${shown}. Choose one to see its neighbours.`);
  else {
    note(h('span', {}, h('bdi', {}, chosen), `: ${brought} of ${plural(total, 'neighbour', 'neighbours')}`),
      brought < total && h('button', { type: 'button', onclick: more }, 'More'),
      h('a', { class: 'button narrow', href: entityLink(chosen) }, 'Open'));
  }
}

const note = (...content) => byId('graph-note').replaceChildren(...content.filter(Boolean));

// legend names the most frequent types with their colours.
function legend() {
  const counts = new Map();
  graph.forEachNode((_, { kind }) => counts.set(kind, (counts.get(kind) ?? 0) + 1));
  const frequent = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 8);
  byId('graph-types').replaceChildren(...frequent.map(([kind, n]) => {
    const dot = h('i', { class: 'dot', 'aria-hidden': 'true' });
    dot.style.backgroundColor = colour(kind);
    return h('li', {}, dot, h('bdi', {}, kind), h('small', {}, String(n)));
  }));
}

// theRenderer is what draws, for who measures it.
export const theRenderer = () => renderer;

// placeOf is where a node is seen in the window.
export function placeOf(name) {
  const { x, y } = renderer.graphToViewport(graph.getNodeAttributes(name), { cameraState: renderer.getCamera().getState() });
  const { left, top } = byId('canvas').getBoundingClientRect();
  return { x: left + x, y: top + y };
}
