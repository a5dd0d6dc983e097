import { type Claim, parseClaim } from './claims.ts';
import type { StreamConnection } from './connection.ts';
import { readStored } from './read-stored.ts';
import { claimSubject, LANDINGS_STREAM } from './subjects.ts';

/** A claim and its place in the landings stream. */
export type StoredClaim = { claim: Claim; place: number };

/** A claim of a full batch has some ten kilobytes. */
const PER_READ = { maxMessages: 100, maxBytes: 2 * 2 ** 20 };

/**
 * The next claims of a partition in order, from place `from` in the landings stream on; empty: there are none. Throws when
 * the stream is away.
 */
export async function readClaims(
  connection: StreamConnection,
  partition: number,
  from: number,
): Promise<StoredClaim[]> {
  const messages = await readStored(connection, LANDINGS_STREAM, claimSubject(partition), from, PER_READ);
  return messages.map((message) => ({ claim: parseClaim(message.string()), place: message.seq }));
}
