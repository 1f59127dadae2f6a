// The token, which the server demands of whoever asks for data.
import { byId, h, showDialog } from './dom.js';

const key = 'token';

export const token = () => sessionStorage.getItem(key);

let asking = null; // until the user has answered

// takeToken takes the token out of the address, where nobody should see it.
export function takeToken() {
  const given = /^#token=(.*)$/.exec(location.hash);
  if (!given) return false;
  sessionStorage.setItem(key, decodeURIComponent(given[1]));
  history.replaceState(null, '', location.pathname + location.search + '#/');
  if (asking) byId('dialog').close();
  return true;
}

// askToken asks for the token after this one was refused, once for all who need
// it. accepted says that the server took it before.
export function askToken(refused, accepted) {
  if (refused !== token()) return null; // there is another by now
  asking ??= ask(refused, accepted).finally(() => { asking = null; });
  return asking;
}

function title(refused, accepted) {
  if (accepted) return 'The server was started anew and asks for its new token';
  return refused ? 'This token is not the server’s' : 'This memory asks for a token';
}

async function ask(refused, accepted) {
  while (token() === refused) {
    const field = h('input', { type: 'password', id: 'token', autocomplete: 'off', required: true, 'aria-describedby': 'token-hint' });
    await showDialog('Token',
      h('form', { method: 'dialog' },
        h('h2', {}, title(refused, accepted)),
        h('p', { id: 'token-hint' }, 'It is part of the address that ', h('code', {}, 'mcp-memory ui'), ' prints, behind ', h('code', {}, '#token='), '.'),
        h('label', { for: 'token' }, 'Token'), field,
        h('div', { class: 'actions' }, h('button', { class: 'primary' }, 'Open the memory'))));
    const given = field.value.trim().replace(/^.*#token=/, '');
    if (given) {
      sessionStorage.setItem(key, given);
      return;
    }
  }
}
