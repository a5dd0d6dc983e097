import type { Instant } from '../../core/instants.ts';

/** What is chained (spec/chain#entries). */
export const CHAINED_KINDS = ['invoice', 'ledger_transaction'] as const;
export type ChainedKind = (typeof CHAINED_KINDS)[number];

/** An entry of an account's chain (spec/chain#entries). `salt` null: personal data is erased, or there never was any. */
export type ChainEntry = {
  /** From 1, without gaps. */
  sequence: number;
  kind: ChainedKind;
  recordId: string;
  /** Canonical JSON of what must never change of the record. */
  content: string;
  salt: string | null;
  chainedAt: Instant;
  /** Hexadecimal SHA-256. */
  chainHash: string;
};

/** The newest entry of a chain, which holds all before it. */
export type ChainHead = Pick<ChainEntry, 'sequence' | 'chainHash' | 'chainedAt'>;

/** A head as it was published (spec/chain#published-heads). */
export type PublishedHead = Pick<ChainHead, 'sequence' | 'chainHash'> & { accountId: string; publishedAt: Instant };

/** What can be wrong with a row (spec/chain#verification). */
export const BENT = [
  'record_changed',
  'record_missing',
  'record_not_chained',
  'record_queued_again',
  'balance_changed',
  'entry_changed',
  'entry_missing',
  'head_changed',
  'head_missing',
] as const;

/** A value that is not what was chained, by its path, as JSON text; null: there is none. */
export type BentField = { field: string; stored: string | null; chained: string | null };

/**
 * The first row of an account that is not as it was chained, or the first customer (`recordId`) whose balances the ledger denies.
 * `sequence` null: of what has no entry.
 */
export type Bent = {
  found: (typeof BENT)[number];
  sequence: number | null;
  kind: ChainedKind | 'customer' | null;
  recordId: string | null;
  fields: BentField[];
};

/** What is found of a row of the queue of what waits, whose record is the entry `sequence` already. */
export function queuedAgain(kind: ChainedKind, recordId: string, sequence: number): Bent {
  return { found: 'record_queued_again', sequence, kind, recordId, fields: [] };
}

/** What the newest verification of a chain has found, and how many entries are whole, from the first on. */
export type ChainCheck = { checkedAt: Instant; entries: number; bent: Bent | null };
