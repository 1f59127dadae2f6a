// Moving the view. Where a drawing takes long, the view moves as that of a map does:
// the last drawing moves as a picture, and is drawn anew when the view rests.

export const budget = { ms: 40 }; // for a drawing; beyond, its picture moves

const rest = 150; // ms without movement,
const still = 3; // and frames, after which the view rests
const farthest = 4; // times a picture is made larger or smaller

let took = 0; // ms
let timed = null; // when the drawing began that is being timed

// cost is how long the last drawing took, or takes so far, in ms.
export const cost = () => (timed === null ? took : Math.max(took, performance.now() - timed));

// moveAsPicture has the view of a renderer move within the budget.
export function moveAsPicture(renderer) {
  const { mouse, ...layers } = renderer.getCanvases();
  const camera = renderer.getCamera();
  let drawn = null; // the camera of the last drawing
  let last = 0; // movement
  let frames = 0; // since then
  let moved = false; // whether the picture is away from where it was drawn

  const put = (transform) => Object.values(layers).forEach(({ style }) => { style.transform = transform; });
  const settle = () => {
    if (!moved) return;
    if (++frames > still && performance.now() > last + rest) renderer.scheduleRender();
    else requestAnimationFrame(settle);
  };

  let begun = 0; // the drawing
  renderer.on('beforeRender', () => { begun = performance.now(); });
  renderer.on('afterRender', () => {
    drawn = camera.getState();
    if (moved) put('');
    moved = false;
    if (timed !== null) return;
    timed = begun;
    whenDrawn([layers.nodes, layers.edges], () => {
      took = performance.now() - timed;
      timed = null;
    });
  });
  camera.removeAllListeners('updated'); // which has sigma draw at each
  camera.on('updated', () => {
    const transform = cost() > budget.ms && drawn && between(renderer, drawn, camera.getState());
    if (!transform) {
      renderer.scheduleRender();
      return;
    }
    last = performance.now();
    frames = 0;
    put(transform);
    if (!moved) requestAnimationFrame(settle);
    moved = true;
  });
  // What is under the mouse is looked up in the drawing.
  const { getNodeAtPosition } = Object.getPrototypeOf(renderer);
  renderer.getNodeAtPosition = (at) => getNodeAtPosition.call(renderer, moved ? place(renderer, at, camera.getState(), drawn) : at);
}

// place is where what is seen at a place by one camera is seen by another.
function place(renderer, at, from, to) {
  return renderer.framedGraphToViewport(renderer.viewportToFramedGraph(at, { cameraState: from }), { cameraState: to });
}

// between is the transform that makes what one camera sees what another sees, or
// null if they have too little in common.
function between(renderer, from, to) {
  const { width, height } = renderer.getDimensions();
  const start = place(renderer, { x: 0, y: 0 }, from, to);
  const end = place(renderer, { x: width, y: 0 }, from, to);
  const [a, b] = [(end.x - start.x) / width, (end.y - start.y) / width];
  const scale = Math.hypot(a, b);
  const centre = place(renderer, { x: width / 2, y: height / 2 }, to, from);
  const within = centre.x > 0 && centre.x < width && centre.y > 0 && centre.y < height;
  if (!within || scale > farthest || scale < 1 / farthest) return null;
  return `matrix(${[a, b, -b, a, start.x, start.y].map((n) => n.toFixed(5))})`;
}

// whenDrawn calls back once the graphics processor has drawn canvases.
function whenDrawn(canvases, then) {
  const fences = canvases.map((canvas) => canvas.getContext('webgl2')).filter(Boolean).map((gl) => {
    const fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    gl.flush();
    return () => fence === null || gl.isContextLost() || gl.getSyncParameter(fence, gl.SYNC_STATUS) === gl.SIGNALED;
  });
  const look = () => {
    if (fences.every((signaled) => signaled())) then();
    else setTimeout(look, 4);
  };
  setTimeout(look);
}
