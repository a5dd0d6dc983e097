import { queryOptions } from '@tanstack/react-query';
import { sendCsrfToken } from './client.ts';
import { failureOf, unanswered } from './failure.ts';

/** Who is logged in, as `/console/session` answers. */
export type Session = {
  account: { account_id: string; name: string; mode: 'test' | 'live'; default_currency: string };
  key: { key_id: string; name: string; scopes: Scope[] };
  csrf_token: string;
  expires_at: string;
};
export type Scope = 'events:write' | 'read' | 'write' | 'admin';

const PATH = '/console/session';

const KEY = ['session'];

/** Who is logged in. Where that is somebody else than this window shows, it begins anew. */
export const sessionQuery = queryOptions({
  queryKey: KEY,
  queryFn: async ({ client }): Promise<Session> => {
    const session = await ask('GET');
    const before = client.getQueryData<Session>(KEY);
    if (before && !isSameCaller(before, session)) return beginAnew();
    sendCsrfToken(session.csrf_token);
    return session;
  },
  staleTime: 60_000,
  retry: false,
});

function isSameCaller({ account, key }: Session, other: Session): boolean {
  return account.account_id === other.account.account_id && key.key_id === other.key.key_id;
}

function beginAnew(): Promise<never> {
  window.location.reload();
  return new Promise(() => {});
}

/** All windows of this browser have one session: what one of them does to it, the others hear. */
const windows = new BroadcastChannel('meterbook session');

/** `hear` is called when another window has logged in or out. */
export function onSessionElsewhere(hear: () => void): void {
  windows.onmessage = hear;
}

/** @throws Failure 401 for a key that is not valid, 429 after too many. */
export async function logIn(apiKey: string): Promise<Session> {
  const session = await ask('POST', { api_key: apiKey });
  sendCsrfToken(session.csrf_token);
  windows.postMessage('logged in');
  return session;
}

/** Ends the session, with the token that proves that its own page asks. */
export async function logOut(token: string): Promise<void> {
  const response = await send('DELETE', undefined, { 'X-CSRF-Token': token });
  if (!response.ok && response.status !== 401) throw failureOf(response, await bodyOf(response));
  windows.postMessage('logged out');
}

async function ask(method: 'GET' | 'POST', body?: object): Promise<Session> {
  const response = await send(method, body);
  const answer = await bodyOf(response);
  if (!response.ok) throw failureOf(response, answer);
  return answer as Session;
}

function send(method: string, body?: object, headers: Record<string, string> = {}): Promise<Response> {
  const all = { ...headers, ...(body && { 'Content-Type': 'application/json' }) };
  return fetch(PATH, { method, headers: all, ...(body && { body: JSON.stringify(body) }) }).catch(() => {
    throw unanswered();
  });
}

async function bodyOf(response: Response): Promise<unknown> {
  return response.json().catch(() => undefined);
}
