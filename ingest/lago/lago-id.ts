import { hash } from 'node:crypto';

/** Our own name space of UUIDs, in hex. */
const NAME_SPACE = '6f0b6c1e5d0a4a5b9c0e3f5f8e0d7a41';

/**
 * The `lago_id` of an event: a UUID made of its account and id, so that a repeat has the same (spec/senders#lago). By name, of version 5
 * (RFC 9562): the libraries of Lago's clients take no other text.
 */
export function lagoIdOf(accountId: string, idempotencyId: string): string {
  const name = Buffer.concat([Buffer.from(NAME_SPACE, 'hex'), Buffer.from(`${accountId}\0${idempotencyId}`)]);
  const hex = hash('sha1', name, 'hex');
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `5${hex.slice(13, 16)}`,
    variant + hex.slice(17, 20),
    hex.slice(20, 32),
  ].join('-');
}
