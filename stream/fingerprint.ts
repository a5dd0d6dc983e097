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

/** A fingerprint as ClickHouse keeps it, a little-endian integer: in bytes, and in words of 32 bits. */
export const FINGERPRINT_BYTES = 16;
export const FINGERPRINT_WORDS = 4;

let scratch = Buffer.allocUnsafeSlow(1_024);

/** A piece of memory: `end` is behind its last byte. */
export type Piece = { start: number; end: number };

/**
 * Writes at `to` the fingerprint of an account and an id that stand in `bytes` as UTF-8: {@link fingerprintOf} without
 * making strings of them.
 */
export function writeFingerprint(bytes: Uint8Array, account: Piece, id: Piece, to: number): void {
  const size = account.end - account.start + 1 + id.end - id.start;
  if (size > scratch.length) scratch = Buffer.allocUnsafeSlow(2 * size);
  let at = 0;
  for (let i = account.start; i < account.end; i++) scratch[at++] = bytes[i] ?? 0;
  scratch[at++] = 0;
  for (let i = id.start; i < id.end; i++) scratch[at++] = bytes[i] ?? 0;
  // One character is one byte of the hash.
  const hashed = hash('sha256', scratch.subarray(0, size), 'binary');
  for (let i = 0; i < FINGERPRINT_BYTES; i++) bytes[to + FINGERPRINT_BYTES - 1 - i] = hashed.charCodeAt(i);
}

/** The fingerprint whose words begin at `at` in a list of them. */
export function fingerprintFromWords(words: Uint32Array, at: number): Fingerprint {
  let hex = '';
  for (let i = FINGERPRINT_WORDS - 1; i >= 0; i--) hex += (words[at + i] ?? 0).toString(16).padStart(8, '0');
  return hex;
}

/** The decimal text of a fingerprint: how ClickHouse reads and writes a UInt128. */
export function fingerprintToDecimal(fingerprint: Fingerprint): string {
  return BigInt(`0x${fingerprint}`).toString();
}
