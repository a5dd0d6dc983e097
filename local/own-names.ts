import type { IncomingHttpHeaders } from 'node:http';

/** The names under which this machine knows itself; any other one has been pointed here by somebody else's name server. */
export const OWN_NAMES = ['127.0.0.1', 'localhost', '[::1]'];

/** Whether a request names this machine, at whatever port (it may come through another): a page whose name was pointed here sends its own. */
export function namesUs({ host = '' }: IncomingHttpHeaders): boolean {
  return OWN_NAMES.includes(host.replace(/:\d+$/, ''));
}
