// How the graph is drawn: colours of the theme, labels, and what is chosen.
import { moveAsPicture } from './moving.js';
import { edgePrograms, nodePrograms } from './programs.js';

const { Sigma } = globalThis;

let chosen = null;
let near = new Set(); // neighbours of the chosen
let theme = {};

// readTheme takes the colours from the style sheet: those that a canvas can use.
function readTheme() {
  const probe = document.createElement('span');
  document.body.append(probe);
  const read = (name) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  theme = { text: read('text'), muted: read('muted'), surface: read('surface'), line: read('graph-line'), strong: read('graph-strong'), faded: read('graph-faded') };
  probe.remove();
}

const plainEdges = 1500; // beyond, lines have no arrow heads
const roomy = 1000; // nodes; beyond, points are smaller

// makeRenderer draws a graph into an element. choose is called with the name of a
// node that is clicked.
export function makeRenderer(graph, element, choose) {
  readTheme();
  const renderer = new Sigma(graph, element, {
    allowInvalidContainer: true,
    nodeProgramClasses: nodePrograms,
    nodeHoverProgramClasses: nodePrograms,
    edgeProgramClasses: edgePrograms,
    defaultEdgeType: 'arrow',
    renderEdgeLabels: true,
    labelFont: 'system-ui, sans-serif',
    edgeLabelFont: 'system-ui, sans-serif',
    labelSize: 13,
    edgeLabelSize: 11,
    labelDensity: 0.6,
    labelGridCellSize: 110,
    labelRenderedSizeThreshold: 4,
    zIndex: true,
    minCameraRatio: 0.02,
    maxCameraRatio: 5,
    stagePadding: 70,
    defaultDrawNodeHover: drawHover,
    nodeReducer: (name, data) => nodeReducer(graph, name, data),
    edgeReducer: (edge, data) => edgeReducer(graph, edge, data),
  });
  looks.restyle(renderer);
  moveAsPicture(renderer);
  renderer.on('clickNode', ({ node }) => choose(node));
  renderer.on('enterNode', () => element.classList.add('pointing'));
  renderer.on('leaveNode', () => element.classList.remove('pointing'));
  const camera = renderer.getCamera();
  for (const [id, go] of [['zoom-in', () => camera.animatedZoom()], ['zoom-out', () => camera.animatedUnzoom()], ['zoom-fit', () => camera.animatedReset()]]) {
    document.getElementById(id).addEventListener('click', go);
  }
  element.addEventListener('keydown', (event) => move(camera, event));
  return renderer;
}

// move moves the view by keys.
function move(camera, event) {
  const { x, y, ratio } = camera.getState();
  const step = 0.12 * ratio;
  const to = {
    ArrowLeft: { x: x - step }, ArrowRight: { x: x + step }, ArrowUp: { y: y + step }, ArrowDown: { y: y - step },
    '+': { ratio: ratio / 1.4 }, '-': { ratio: ratio * 1.4 }, 0: { x: 0.5, y: 0.5, ratio: 1 },
  }[event.key];
  if (!to || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  camera.animate(to, { duration: 120 });
}

export const looks = {
  // choose has a node stand out with its neighbours; null is none.
  choose(graph, name) {
    chosen = name !== null && graph.hasNode(name) ? name : null;
    near = new Set(chosen === null ? [] : graph.neighbors(chosen));
  },

  restyle(renderer) {
    readTheme();
    renderer.setSetting('labelColor', { color: theme.text });
    renderer.setSetting('edgeLabelColor', { color: theme.muted });
  },
};

function nodeReducer(graph, name, data) {
  const size = data.size * Math.max(0.5, Math.min(1, Math.sqrt(roomy / graph.order)));
  if (chosen === null) return { ...data, size };
  if (name === chosen) return { ...data, highlighted: true, forceLabel: true, zIndex: 2 };
  if (near.has(name)) return { ...data, forceLabel: near.size < 40, zIndex: 1 };
  return { ...data, size, color: theme.faded, label: null, zIndex: 0 };
}

function edgeReducer(graph, edge, data) {
  const type = graph.size > plainEdges ? 'line' : 'arrow';
  if (chosen === null) return { ...data, type, color: theme.line };
  const touches = graph.source(edge) === chosen || graph.target(edge) === chosen;
  return touches
    ? { ...data, type, color: theme.strong, label: data.kinds.join(', '), forceLabel: near.size < 40, size: 1.6, zIndex: 1 }
    : { ...data, type, color: theme.faded, size: 0.6 };
}

// drawHover draws the label of a node that stands out on a ground of its own.
function drawHover(context, data, settings) {
  const size = settings.labelSize;
  context.font = `600 ${size}px ${settings.labelFont}`;
  context.beginPath();
  context.arc(data.x, data.y, data.size + 3, 0, 2 * Math.PI);
  context.lineWidth = 2;
  context.strokeStyle = theme.text;
  context.stroke();
  if (!data.label) return;
  const x = data.x + data.size + 7;
  const width = context.measureText(data.label).width;
  context.fillStyle = theme.surface;
  context.beginPath();
  context.roundRect(x - 4, data.y - size / 2 - 4, width + 8, size + 8, 4);
  context.fill();
  context.fillStyle = theme.text;
  context.fillText(data.label, x, data.y + size / 3);
}
