import type { IncomingHttpHeaders } from 'node:http';

/** The names under which this machine knows itself; any other one has been pointed here by somebody else's name server. */
export const OWN_NAMES = ['127.0.0.1', 'localhost', '[::1]'];

/** Whether a request names this machine and the port it came to: a page whose name was pointed here sends its own. */
export function namesUs({ host }: IncomingHttpHeaders, port: number): boolean {
  return OWN_NAMES.some((name) => host === `${name}:${port}`);
}
