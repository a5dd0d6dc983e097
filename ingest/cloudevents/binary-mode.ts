import type { IncomingHttpHeaders } from 'node:http';
import type { SenderEvent } from '../sender-values/read-event.ts';
import { type Findings, noFindings, report } from '../usage-event-input.ts';

/** The attributes that count; others need not be read. */
const ATTRIBUTES = ['specversion', 'type', 'source', 'subject', 'id', 'time'];

const QUOTED = /^"(.*)"$/;

/** The attributes of a CloudEvent in binary mode, and those whose header cannot be read. */
export type HeaderAttributes = { attributes: SenderEvent; findings: Findings };

/**
 * The attributes that headers carry (CloudEvents HTTP protocol binding 1.0, 3.1.3): out of double quotes, as earlier releases of it wrote
 * them, then percent-decoded once.
 */
export function attributesOfHeaders(headers: IncomingHttpHeaders): HeaderAttributes {
  const read: HeaderAttributes = { attributes: {}, findings: noFindings() };
  for (const name of ATTRIBUTES) {
    const header = headers[`ce-${name}`];
    if (typeof header !== 'string') continue;
    const value = decoded(header);
    // As it was sent it still stands for the one that is there.
    read.attributes[name] = value ?? header;
    if (value === null)
      report(read.findings, name, 'Must be percent-encoded UTF-8: only printable ASCII, a percent sign as %25.');
  }
  return read;
}

/** The text that a header stands for; null where it is not percent-encoded. */
function decoded(header: string): string | null {
  const quoted = QUOTED.exec(header)?.[1]?.replaceAll(/\\(.)/g, '$1');
  // Node reads a byte as a character: what those beyond ASCII were meant to be is not known.
  if (/[^ -~]/.test(header)) return null;
  try {
    return decodeURIComponent(quoted ?? header);
  } catch {
    return null;
  }
}
