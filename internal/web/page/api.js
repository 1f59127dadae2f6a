// The server's API: POST with JSON, and the token in a header.
import { h, byId, showDialog } from './dom.js';

const base = new URL('api/', import.meta.url);
const tokenKey = 'token';

// Failure is what the server, or the way to it, says went wrong. Status 0 is no answer.
export class Failure extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

// takeToken takes the token out of the address, where nobody should see it.
export function takeToken() {
  const given = /^#token=(.*)$/.exec(location.hash);
  if (!given) return false;
  sessionStorage.setItem(tokenKey, decodeURIComponent(given[1]));
  history.replaceState(null, '', location.pathname + location.search + '#/');
  return true;
}

let retry = () => {};

// onRetry says what to do once the server answers again.
export function onRetry(f) {
  retry = f;
}

// request asks the server. Where it wants a token, the user is asked for it.
export async function request(path, body, signal) {
  for (;;) {
    const token = sessionStorage.getItem(tokenKey);
    const headers = { 'Content-Type': 'application/json' };
    if (token) headers.Authorization = `Bearer ${token}`;
    let response;
    try {
      response = await fetch(new URL(path, base), { method: 'POST', headers, body: JSON.stringify(body), signal, cache: 'no-store' });
    } catch (error) {
      if (error.name === 'AbortError') throw error;
      showGone();
      throw new Failure(0, 'The server does not answer.');
    }
    byId('gone').hidden = true;
    if (response.status === 401) {
      if (token === sessionStorage.getItem(tokenKey)) await askToken(Boolean(token));
      continue;
    }
    const answer = await response.json().catch(() => ({ error: `The server answered ${response.status} ${response.statusText}` }));
    if (!response.ok) throw new Failure(response.status, answer.error);
    return answer;
  }
}

// call calls one tool that reads.
export async function call(name, args, signal) {
  const { answers } = await request('call', { calls: [{ name, arguments: args }] }, signal);
  return answers[0];
}

function showGone() {
  const banner = byId('gone');
  banner.replaceChildren(
    h('span', {}, 'The server does not answer. If you have stopped it, start ', h('code', {}, 'mcp-memory ui'), ' again and open the address that it prints.'),
    h('button', { type: 'button', onclick: () => retry() }, 'Try again'),
  );
  banner.hidden = false;
}

let asking = null;

// askToken asks for the token, once for all who need it.
function askToken(wrong) {
  asking ??= ask(wrong).finally(() => { asking = null; });
  return asking;
}

async function ask(wrong) {
  for (;;) {
    const field = h('input', { type: 'password', id: 'token', autocomplete: 'off', required: true, 'aria-describedby': 'token-hint' });
    await showDialog('Token',
      h('form', { method: 'dialog' },
        h('h2', {}, wrong ? 'This token is not the server’s' : 'This memory asks for a token'),
        h('p', { id: 'token-hint' }, 'It is part of the address that ', h('code', {}, 'mcp-memory ui'), ' prints, behind ', h('code', {}, '#token='), '.'),
        h('label', { for: 'token' }, 'Token'), field,
        h('div', { class: 'actions' }, h('button', { class: 'primary' }, 'Open the memory'))));
    const token = field.value.trim().replace(/^.*#token=/, '');
    if (token) {
      sessionStorage.setItem(tokenKey, token);
      return;
    }
  }
}
