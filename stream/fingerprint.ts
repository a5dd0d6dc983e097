import { hash } from 'node:crypto';

/** 128 bits as 32 hex digits. */
export type Fingerprint = string;

/**
 * What an idempotency id is known by for ever: the first 128 bits of SHA-256 over account and id. Two accounts never
 * collide, and nobody can make two ids collide on purpose.
 */
export function fingerprintOf(accountId: string, idempotencyId: string): Fingerprint {
  return hash('sha256', `${accountId}\0${idempotencyId}`, 'hex').slice(0, 32);
}

/** The decimal text of a fingerprint: how ClickHouse reads and writes a UInt128. */
export function fingerprintToDecimal(fingerprint: Fingerprint): string {
  return BigInt(`0x${fingerprint}`).toString();
}

/** The fingerprint of a UInt128 in decimal text. */
export function fingerprintFromDecimal(text: string): Fingerprint {
  return BigInt(text).toString(16).padStart(32, '0');
}
