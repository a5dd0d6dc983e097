import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

/** A fake keeps idle connections for so many ms: as good as for ever, so that none closes under its request. */
export const KEPT_MS = 600_000;

/** A fake's functions as tests in another process call them: by HTTP, beside the paths that the SDK asks. */
export type Remote<Fake> = {
  [name in keyof Fake as Fake[name] extends (...args: never[]) => unknown ? name : never]: Fake[name] extends (
    ...args: infer Args
  ) => infer Result
    ? (...args: Args) => Promise<Awaited<Result>>
    : never;
};

/** The fake that runs at `url`. */
export function remoteFake<Fake>(url: string): Remote<Fake> {
  const call =
    (name: string) =>
    async (...args: unknown[]) => {
      const response = await fetch(`${url}/_fake/${name}`, { method: 'POST', body: JSON.stringify(args) });
      if (!response.ok) throw new Error(await response.text());
      return JSON.parse(await response.text()) as unknown;
    };
  return new Proxy({}, { get: (_target, name) => call(String(name)) }) as Remote<Fake>;
}

/** Does what a test asks of the fake; false where the request is none of a test. */
export function serveRemote(fake: object, request: IncomingMessage, response: ServerResponse): boolean {
  const name = /^\/_fake\/(\w+)$/.exec(request.url ?? '')?.[1];
  if (name === undefined) return false;
  const act = async () => {
    const args = JSON.parse(await text(request)) as never[];
    const called = (fake as Record<string, (...args: never[]) => unknown>)[name];
    return JSON.stringify((await called?.(...args)) ?? null);
  };
  act().then(
    (answer) => response.end(answer),
    (error) => response.writeHead(500).end(String(error)),
  );
  return true;
}
