/** Calls the API of a stack; throws with the answer's text where it refuses. */
export type ApiCaller = <T>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown) => Promise<T>;

export function apiCaller(baseUrl: string, apiKey: string): ApiCaller {
  return async <T>(method: string, path: string, body?: unknown) => {
    const answer = await fetch(new URL(path, baseUrl), {
      method,
      headers: { 'X-API-KEY': apiKey, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  };
}
