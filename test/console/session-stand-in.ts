import { randomUUID } from 'node:crypto';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const ALL_SCOPES = ['events:write', 'read', 'write', 'admin'];

/**
 * Sessions, in front of the stack at `api`: `/console/session` begins, tells and ends one, and its cookie stands for the key that logged in.
 * `scopesOf` says the scopes of keys that have fewer than all.
 */
export async function startSessionStandIn(api: string, scopesOf: Record<string, string[]> = {}, port = 0) {
  const keys = new Map<string, string>();
  const server = http.createServer((request, response) => {
    const cookie = /meterbook_session=([^;]+)/.exec(request.headers.cookie ?? '')?.[1] ?? '';
    if (request.url === '/console/session') void answerSession(request, response, cookie);
    else forward(request, response, keys.get(cookie));
  });

  function forward(request: IncomingMessage, response: ServerResponse, key: string | undefined): void {
    const target = new URL(request.url ?? '/', api);
    const headers = { ...request.headers, host: target.host, ...(key && { 'x-api-key': key }) };
    const sent = http.request(target, { method: request.method ?? 'GET', headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    sent.on('error', () => response.destroy());
    request.pipe(sent);
  }

  async function answerSession(request: IncomingMessage, response: ServerResponse, cookie: string): Promise<void> {
    const sent = await bodyOf(request);
    let token = cookie;
    if (request.method === 'DELETE') {
      keys.delete(token);
      return void response.writeHead(204).end();
    }
    if (request.method === 'POST') {
      token = randomUUID();
      keys.set(token, (JSON.parse(sent) as { api_key: string }).api_key);
    }
    const key = keys.get(token) ?? '';
    const asked = await fetch(new URL('/api/account', api), { headers: { 'X-API-KEY': key } });
    const headers = { 'Content-Type': 'application/json', 'X-Request-Id': 'req_stand_in' };
    if (!asked.ok) {
      keys.delete(token);
      const refusal = { detail: 'The API key is not valid.', code: 'unauthorized', request_id: 'req_stand_in' };
      return void response.writeHead(401, headers).end(JSON.stringify(refusal));
    }
    const session = {
      account: await asked.json(),
      key: { key_id: 'key_1', name: 'stand-in', scopes: scopesOf[key] ?? ALL_SCOPES },
      csrf_token: token,
      expires_at: '2030-01-01T00:00:00.000Z',
    };
    const withCookie = { ...headers, 'Set-Cookie': `meterbook_session=${token}; HttpOnly; SameSite=Strict; Path=/` };
    response.writeHead(request.method === 'POST' ? 201 : 200, withCookie).end(JSON.stringify(session));
  }

  await new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop: () => void server.close() };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
