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

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: () => ask('GET'),
  staleTime: 60_000,
  retry: false,
});

/** @throws Failure 401 for a key that is not valid, 429 after too many. */
export function logIn(apiKey: string): Promise<Session> {
  return ask('POST', { api_key: apiKey });
}

/** Ends the session, with the token that proves that its own page asks. */
export async function logOut(token: string): Promise<void> {
  const response = await send('DELETE', undefined, { 'X-CSRF-Token': token });
  if (!response.ok && response.status !== 401) throw failureOf(response, await bodyOf(response));
}

async function ask(method: 'GET' | 'POST', body?: object): Promise<Session> {
  const response = await send(method, body);
  const answer = await bodyOf(response);
  if (!response.ok) throw failureOf(response, answer);
  const session = answer as Session;
  sendCsrfToken(session.csrf_token);
  return session;
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
