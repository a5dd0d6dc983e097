import { createHash, randomBytes } from 'node:crypto';
import type { BentField, ChainedKind } from '../../billing/chain/chain.ts';
import { isDecimal } from '../../core/decimal.ts';
import { type Instant, isoFromInstant } from '../../core/instants.ts';
import { canonicalJson, parseStoredJson } from '../../runtime/exact-json.ts';
import type { ChainedRecord } from '../../sql/postgres/chain/chain-records.ts';

/** Which columns content has, so that later ones leave what was hashed before as it is (spec/chain#entries). */
const CONTENT_VERSION = 1;

/** What the first entry of a chain has in the place of the hash before. */
export const GENESIS_HASH = '0'.repeat(64);

/** A record by its name: what stands in content even where the record itself is gone. */
export type ChainedName = { accountId: string; kind: ChainedKind; recordId: string };

/**
 * What is chained of a record: canonical JSON. Personal data is in it as a commitment alone, which is `erased` as it stands where
 * nothing is left to compute it from.
 */
export function contentOf(
  { accountId, kind, recordId }: ChainedName,
  stored: ChainedRecord | undefined,
  personal: { salt: string } | { erased: string | null },
): string {
  const named = { version: CONTENT_VERSION, account_id: accountId, kind, record_id: recordId };
  if (!stored) return canonicalJson({ ...named, record: null, personal: null });
  const commitment = 'salt' in personal ? commitmentTo(stored.personal, personal.salt) : personal.erased;
  return canonicalJson({ ...named, record: stored.record, personal: commitment });
}

/** Tells nothing of what it is of without the salt, and with it whether it is of just that; null of nothing. */
function commitmentTo(personal: object | null, salt: string): string | null {
  return personal && sha256(`${salt}\n${canonicalJson(personal)}`);
}

export function newSalt(): string {
  return randomBytes(16).toString('hex');
}

/** The commitment in an entry's content. */
export function commitmentIn(content: string): string | null {
  const { personal } = parseStoredJson(content) as { personal: string | null };
  return personal;
}

/** The hash of an entry over that of the one before it (spec/chain#entries). */
export function chainHashOf(previous: string, chainedAt: Instant, content: string): string {
  return sha256(`${previous}\n${isoFromInstant(chainedAt)}\n${content}`);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Of more than these, a reader learns no more. */
const MAX_FIELDS = 20;

/** Where two contents differ, value by value: `lines.0.amount`. */
export function bentFields(stored: string, chained: string): BentField[] {
  const [now, then] = [valuesOf(parseStoredJson(stored)), valuesOf(parseStoredJson(chained))];
  const fields = [...new Set([...then.keys(), ...now.keys()])];
  return fields
    .map((field) => ({ field, stored: now.get(field) ?? null, chained: then.get(field) ?? null }))
    .filter((one) => one.stored !== one.chained)
    .slice(0, MAX_FIELDS);
}

/** Each value of JSON by its path, as text; of what is in `record` without that word. */
function valuesOf(value: unknown, path: string[] = [], found = new Map<string, string>()): Map<string, string> {
  if (typeof value !== 'object' || value === null || isDecimal(value)) {
    return found.set((path[0] === 'record' ? path.slice(1) : path).join('.'), canonicalJson(value));
  }
  for (const [key, inner] of Object.entries(value)) valuesOf(inner, [...path, key], found);
  return found;
}
