// The page: what its address shows, and what its buttons do.
import { onChange, recall, undoLast } from './changes.js';
import { onBack, watch } from './connection.js';
import { byId } from './dom.js';
import * as drafts from './drafts.js';
import * as entity from './entity.js';
import * as keys from './keys.js';
import * as newMemory from './new.js';
import * as search from './search.js';
import { entityLink } from './text.js';
import { takeToken } from './token.js';

let graph = null; // the module, once it is needed
let here = { view: 'search', name: null };

// place reads an address: #/, #/entity/NAME, #/graph or #/graph/NAME.
function place() {
  const [, view, name] = /^#\/(entity|graph)(?:\/(.*))?$/.exec(location.hash) ?? [];
  let decoded = null;
  try {
    decoded = name ? decodeURIComponent(name) : null;
  } catch {
    // no name of ours
  }
  return { view: view === 'graph' ? 'graph' : 'search', name: decoded };
}

// show shows what the address says. moved is whether the user went there.
async function show(moved) {
  const before = here;
  here = place();
  const inGraph = here.view === 'graph';
  document.body.dataset.view = here.view;
  document.body.toggleAttribute('data-open', here.name !== null);
  byId('graph').hidden = !inGraph;
  byId('results').hidden = inGraph;
  byId('to-graph').toggleAttribute('aria-current', inGraph);
  byId('to-graph').href = inGraph ? '#/' : '#/graph';
  search.setCurrent(here.name);
  if (inGraph) {
    graph ??= await import('./graph.js');
    graph.show(here.name);
  }
  if (here.name === null) {
    entity.close();
    if (moved && before.name !== null && !inGraph) search.focusCurrent(before.name);
    return;
  }
  await entity.open(here.name, inGraph);
  if (moved && before.name !== here.name && !inGraph) entity.focus();
}

// back goes from a memory to the results, from the graph to the search.
function back() {
  if (here.view === 'graph' && here.name !== null) location.hash = '#/graph';
  else if (here.view === 'graph' || here.name !== null) location.hash = '#/';
  else byId('query').focus();
}

const themes = { undefined: 'dark', dark: 'light', light: 'auto' };

function nextTheme() {
  const root = document.documentElement;
  const next = themes[root.dataset.theme];
  if (next === 'auto') {
    delete root.dataset.theme;
    localStorage.removeItem('theme');
  } else {
    root.dataset.theme = next;
    localStorage.setItem('theme', next);
  }
  nameTheme();
  graph?.restyle();
}

function nameTheme() {
  const theme = document.documentElement.dataset.theme ?? 'as the system';
  byId('theme').setAttribute('aria-label', `Theme: ${theme}`);
  byId('theme').title = `Theme: ${theme} (t)`;
}

function refresh() {
  search.refresh();
  if (graph && here.view === 'graph') graph.reload();
  return show(false);
}

// anew is refresh where the server may be another.
function anew() {
  recall();
  return refresh();
}

// toDraft leads to what is written and not saved: of a memory, or of a new one.
function toDraft(name) {
  if (name === null) newMemory.ask();
  else if (location.hash === entityLink(name)) refresh();
  else location.hash = entityLink(name);
}

takeToken();
search.start();
keys.start(back);
drafts.start(toDraft);
watch();
onBack(anew);
onChange(async (hash) => {
  if (hash !== undefined && hash !== location.hash) {
    search.refresh();
    graph?.forget();
    location.hash = hash;
  } else {
    await refresh();
  }
});
byId('undo').addEventListener('click', undoLast);
byId('new').addEventListener('click', newMemory.ask);
byId('theme').addEventListener('click', nextTheme);
byId('help-button').addEventListener('click', keys.help);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => graph?.restyle());
addEventListener('hashchange', () => {
  if (takeToken()) anew();
  else show(true);
});
nameTheme();
recall();
search.refresh();
show(false);
