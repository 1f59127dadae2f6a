// Where the nodes of the graph go, away from the page's own thread.
//
// It is told {add: [[x, y]…], links: [[i, j]…]} for nodes and relations that come
// in addition, or {reset: true}; it answers with the places of all nodes, as
// x0, y0, x1, y1…, until they have settled.
import './vendor/force.min.js';

const { forceSimulation, forceManyBody, forceLink, forceX, forceY } = globalThis.d3;

const interval = 50; // ms between answers, at least
let nodes = [];
let links = [];
let generation = 0; // counts what the page has told
let timer = null;

const charge = forceManyBody().theta(1.1).distanceMax(1500);
const spring = forceLink().distance(40);
const simulation = forceSimulation().stop()
  .force('charge', charge).force('link', spring)
  .force('x', forceX().strength(0.04)).force('y', forceY().strength(0.04))
  .velocityDecay(0.45);

onmessage = ({ data }) => {
  generation = data.generation;
  if (data.reset) {
    nodes = [];
    links = [];
  }
  const first = nodes.length === 0;
  for (const [x, y] of data.add ?? []) nodes.push({ x, y });
  for (const [source, target] of data.links ?? []) links.push({ source, target });
  simulation.nodes(nodes);
  spring.links(links);
  charge.strength(nodes.length > 1000 ? -18 : -60);
  simulation.alphaDecay(nodes.length > 1000 ? 0.05 : 0.025).alpha(first ? 1 : 0.5);
  timer ??= setTimeout(run);
};

// run moves the nodes for a while and tells where they are.
function run() {
  timer = null;
  const until = performance.now() + interval;
  do simulation.tick(); while (performance.now() < until && simulation.alpha() > simulation.alphaMin());
  const settled = simulation.alpha() <= simulation.alphaMin();
  const places = new Float32Array(2 * nodes.length);
  nodes.forEach(({ x, y }, i) => {
    places[2 * i] = x;
    places[2 * i + 1] = y;
  });
  postMessage({ places, settled, generation }, [places.buffer]);
  if (!settled) timer = setTimeout(run);
}
