// Whether the server answers. If it does not, the page says so once, and looks
// until it does.
import { h, byId } from './dom.js';
import { say } from './toasts.js';

const health = new URL('healthz', import.meta.url); // asks for no token
const pause = { there: 5000, gone: 2000 }; // ms between looks, while the page is seen
const patience = 20_000; // ms

let gone = false;
let timer = null;
let back = () => {};

// onBack says what to do once the server answers again.
export function onBack(f) {
  back = f;
}

// missing reports whether a response is of a proxy that does not reach the server.
export const missing = (response) => response.status === 502 || response.status === 504;

// lost notes that the server does not answer.
export function lost() {
  if (gone) return;
  gone = true;
  byId('gone').replaceChildren(
    h('span', {}, 'The server does not answer. The page goes on by itself once it does; what you write is kept. If you have stopped it, start ',
      h('code', {}, 'mcp-memory ui'), ' again and open the address that it prints.'));
  byId('gone').hidden = false;
  next();
}

// answered notes that the server does.
export function answered() {
  if (!gone) return;
  gone = false;
  byId('gone').hidden = true;
  say('The server answers again.');
  back();
}

// watch begins to look.
export function watch() {
  document.addEventListener('visibilitychange', look);
  addEventListener('online', look);
  next();
}

function next() {
  clearTimeout(timer);
  timer = setTimeout(look, gone ? pause.gone : pause.there);
}

async function look() {
  clearTimeout(timer);
  if (document.hidden) return; // the next change of visibility looks
  try {
    const response = await fetch(health, { cache: 'no-store', signal: AbortSignal.timeout(patience) });
    if (missing(response)) lost();
    else answered();
  } catch {
    lost();
  }
  next();
}
