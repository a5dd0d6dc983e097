import http from 'node:http';
import https from 'node:https';
import { buffer } from 'node:stream/consumers';

/**
 * Returns a `fetch` whose connections an agent makes, for SDKs that take a `fetch` and no agent. It knows what those send: a
 * method, headers, a text and a signal. It follows no redirect and repeats nothing.
 */
export function fetchByAgent(agent: http.Agent): typeof fetch {
  return async (input, { method = 'GET', headers, body, signal } = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const text = typeof body === 'string' ? body : '';
    const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
      const request = (url.protocol === 'https:' ? https : http).request(url, {
        ...{ method, agent, headers: Object.fromEntries(new Headers(headers)) },
        ...(signal && { signal }),
      });
      request.on('response', resolve).on('error', reject).end(text);
    });
    const bytes = await buffer(response);
    const kept = Object.entries(response.headers).flatMap(([name, value]) =>
      [value ?? []].flat().map((one) => [name, one]),
    );
    return new Response(isBodiless(response.statusCode) ? null : new Uint8Array(bytes), {
      status: response.statusCode ?? 0,
      headers: new Headers(kept as [string, string][]),
    });
  };
}

function isBodiless(status: number | undefined): boolean {
  return status === 204 || status === 205 || status === 304;
}
