// The server's API: POST with JSON, and the token in a header.
import { answered, lost, missing } from './connection.js';
import { askToken, token } from './token.js';

const base = new URL('api/', import.meta.url);

// Failure is what the server, or the way to it, says went wrong. Status 0 is no answer.
class Failure extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

// isGone reports whether a failure is that nobody answers, which the page says by itself.
export const isGone = (error) => error instanceof Failure && error.status === 0;

let accepted = null; // the last token that was right

// request asks the server. Where it wants a token, the user is asked for it.
export async function request(path, body, signal) {
  for (;;) {
    const mine = token();
    const response = await send(path, body, mine, signal);
    if (response.status === 401) {
      await askToken(mine, mine !== null && mine === accepted);
      continue;
    }
    accepted = mine;
    const answer = await response.json().catch(() => ({ error: `The server answered ${response.status} ${response.statusText}` }));
    if (!response.ok) throw new Failure(response.status, answer.error);
    return answer;
  }
}

// send sends a request, and notes whether anybody is there.
async function send(path, body, bearer, signal) {
  const headers = { 'Content-Type': 'application/json' };
  if (bearer) headers.Authorization = `Bearer ${bearer}`;
  let response = null;
  try {
    response = await fetch(new URL(path, base), { method: 'POST', headers, body: JSON.stringify(body), signal, cache: 'no-store' });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
  }
  if (response === null || missing(response)) {
    lost();
    throw new Failure(0, 'The server does not answer.');
  }
  answered();
  return response;
}

// call calls one tool that reads.
export async function call(name, args, signal) {
  const { answers } = await request('call', { calls: [{ name, arguments: args }] }, signal);
  return answers[0];
}
