// The page's end of the layout: what the worker computes goes into the graph.
import { cost } from './moving.js';

const address = new URL('layout-worker.js', import.meta.url).href;
// The page's policy has every script's address go through here.
const policy = globalThis.trustedTypes?.createPolicy('layout', { createScriptURL: () => address });
const worker = new Worker(policy ? policy.createScriptURL('') : address, { type: 'module' });

const pause = 400; // ms after a movement of the view in which nothing else moves
const share = 3; // of the time, drawing gets one part at most,
const longest = 1000; // unless that many ms pass
let generation = 0;
let waiting = null; // places that came while the view moved

// arrange tells the worker of nodes and relations.
export function arrange(message) {
  document.body.dataset.layout = 'moving';
  worker.postMessage({ ...message, generation: ++generation });
}

// restart forgets all nodes.
export function restart() {
  arrange({ reset: true });
}

// follow moves the nodes of a graph as the worker says, as often as drawing them
// leaves time for the rest. While the user moves the view, that comes first.
export function follow(graph, renderer) {
  let moved = -pause;
  let applied = 0;
  let due = false;
  const apply = () => {
    const early = Math.max(moved + pause, applied + Math.min(share * cost(), longest)) - performance.now();
    if (early > 0) {
      setTimeout(apply, early);
      return;
    }
    applied = performance.now();
    due = false;
    const { places, settled, generation: of } = waiting;
    if (of !== generation) return; // of other nodes
    graph.updateEachNodeAttributes((_, attributes) => {
      attributes.x = places[2 * attributes.index];
      attributes.y = places[2 * attributes.index + 1];
      return attributes;
    }, { attributes: ['x', 'y'] });
    if (settled) document.body.dataset.layout = 'settled';
  };
  renderer.getCamera().on('updated', () => { moved = performance.now(); });
  worker.onmessage = ({ data }) => {
    if (data.generation !== generation) return;
    waiting = data;
    if (!due) requestAnimationFrame(apply);
    due = true;
  };
}
