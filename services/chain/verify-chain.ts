import {
  type Bent,
  type BentField,
  CHAINED_KINDS,
  type ChainEntry,
  type PublishedHead,
} from '../../billing/chain/chain.ts';
import { whileVerifying } from '../../sql/postgres/chain/chain-checks.ts';
import { listChainEntries, listChainedAccountsAfter } from '../../sql/postgres/chain/chain-entries.ts';
import { type BentHead, findBentHead, findBentHeads } from '../../sql/postgres/chain/chain-heads.ts';
import { findQueuedAgain } from '../../sql/postgres/chain/chain-queue.ts';
import { type ChainedRecord, findChainedRecords, findUnchained } from '../../sql/postgres/chain/chain-records.ts';
import { findBentBalance } from '../../sql/postgres/chain/customer-balances.ts';
import type { Pool } from '../../sql/postgres/postgres.ts';
import { bentFields, chainHashOf, commitmentIn, contentOf, GENESIS_HASH } from './chain.ts';

/** What a check of an account's chain has found; `erased`: entries whose personal data is gone. */
export type VerifiedChain = { accountId: string; entries: number; erased: number; bent: Bent | null };

export type Verifying = {
  postgres: Pool;
  /** This account alone. */
  accountId?: string | undefined;
  /** Published heads that were kept elsewhere, of whatever account. */
  heads?: AsyncIterable<PublishedHead> | undefined;
  cancelled: AbortSignal;
};

/** Entries read at a time, each with its record: a few megabytes. */
const PAGE_SIZE = 200;
/** Ids of records, or records of customers, looked at at a time. */
const IDS_AT_ONCE = 10_000;
const HEADS_AT_ONCE = 1_000;
const ACCOUNTS_AT_ONCE = 500;

/** Computes the chains of all accounts, or of one, again from their first entries, account by account. */
export async function* verifyChains(verifying: Verifying): AsyncGenerator<VerifiedChain> {
  const bentHeads = await bentHeadsOf(verifying);
  for await (const accountId of accountIdsOf(verifying)) {
    const verified = await verifyChain(verifying, accountId);
    const head = bentHeads.get(accountId);
    bentHeads.delete(accountId);
    yield verified.bent || !head ? verified : { ...verified, bent: bentHead(head) };
  }
  // Accounts that are gone themselves.
  for (const [accountId, head] of bentHeads) yield { accountId, entries: 0, erased: 0, bent: bentHead(head) };
}

async function* accountIdsOf({ postgres, accountId }: Verifying): AsyncGenerator<string> {
  if (accountId !== undefined) {
    yield accountId;
    return;
  }
  const pageAfter = (after: string) =>
    whileVerifying(postgres, (tx) => listChainedAccountsAfter(tx, after, ACCOUNTS_AT_ONCE));
  for (let page = await pageAfter(''); page.length > 0; page = await pageAfter(page.at(-1) ?? '')) yield* page;
}

/** Of the heads that were kept elsewhere, the first of each account that its chain does not have. */
async function bentHeadsOf({ postgres, accountId, heads, cancelled }: Verifying): Promise<Map<string, BentHead>> {
  const bent = new Map<string, BentHead>();
  let batch: PublishedHead[] = [];
  const compare = async () => {
    const found = await whileVerifying(postgres, (tx) => findBentHeads(tx, batch));
    for (const head of found) {
      const known = bent.get(head.accountId);
      if (!known || head.sequence < known.sequence) bent.set(head.accountId, head);
    }
    batch = [];
  };
  for await (const head of heads ?? []) {
    cancelled.throwIfAborted();
    if (accountId === undefined || head.accountId === accountId) batch.push(head);
    if (batch.length === HEADS_AT_ONCE) await compare();
  }
  if (batch.length > 0) await compare();
  return bent;
}

/**
 * One account: its entries with their records, then the records without an entry, then its customers' balances beside the ledger, whose
 * transactions are whole by then, then the heads that are kept beside them.
 */
async function verifyChain({ postgres, cancelled }: Verifying, accountId: string): Promise<VerifiedChain> {
  const walk: Walk = { accountId, entries: 0, erased: 0, previous: GENESIS_HASH };
  for (;;) {
    cancelled.throwIfAborted();
    const page = await whileVerifying(postgres, async (tx) => {
      // From before the first: what somebody has put there is no entry, though its record has one by it.
      const after = walk.entries === 0 ? Number.MIN_SAFE_INTEGER : walk.entries;
      const entries = await listChainEntries(tx, accountId, after, PAGE_SIZE);
      return { entries, records: await findChainedRecords(tx, accountId, entries) };
    });
    for (const entry of page.entries) {
      const bent = checkEntry(walk, entry, page.records.get(entry.recordId));
      if (bent) return { accountId, entries: walk.entries, erased: walk.erased, bent };
    }
    if (page.entries.length < PAGE_SIZE) break;
  }
  const { entries, erased } = walk;
  const bent =
    (await findFirstUnchained(postgres, accountId, cancelled)) ??
    (await whileVerifying(postgres, (tx) => findQueuedAgain(tx, accountId))) ??
    (await findFirstBentBalance(postgres, accountId, cancelled));
  if (bent) return { accountId, entries, erased, bent };
  const head = await whileVerifying(postgres, (tx) => findBentHead(tx, accountId));
  return { accountId, entries, erased, bent: head ? bentHead(head) : null };
}

/** How far the entries of an account are whole, and the hash there. */
type Walk = { accountId: string; entries: number; erased: number; previous: string };

/** Undefined where the entry follows the one before, and its record is as it was; the walk has then gone on. */
function checkEntry(walk: Walk, entry: ChainEntry, record: ChainedRecord | undefined): Bent | undefined {
  const { sequence, kind, recordId, content, salt, chainedAt, chainHash } = entry;
  const bent = (found: Bent['found'], fields: BentField[] = []): Bent => ({ found, sequence, kind, recordId, fields });
  if (sequence <= walk.entries)
    return bent('entry_changed', [{ field: 'sequence', stored: String(sequence), chained: null }]);
  if (sequence !== walk.entries + 1) {
    return { found: 'entry_missing', sequence: walk.entries + 1, kind: null, recordId: null, fields: [] };
  }
  const computed = chainHashOf(walk.previous, chainedAt, content);
  if (computed !== chainHash) {
    return bent('entry_changed', [{ field: 'chain_hash', stored: computed, chained: chainHash }]);
  }
  const name = { accountId: walk.accountId, kind, recordId };
  const isErased = salt === null && isWithoutPersonal(record);
  const now = contentOf(name, record, isErased ? { erased: commitmentIn(content) } : { salt: salt ?? '' });
  if (!record) return bent('record_missing', bentFields(now, content));
  if (now !== content) return bent('record_changed', bentFields(now, content));
  walk.entries = sequence;
  walk.previous = chainHash;
  if (isErased && record.personal) walk.erased++;
  return undefined;
}

/** Whether nothing is left of the personal data of a record, or there never was any. */
function isWithoutPersonal(record: ChainedRecord | undefined): boolean {
  return Object.values(record?.personal ?? {}).every((value) => value === null || value === '');
}

async function findFirstUnchained(
  postgres: Pool,
  accountId: string,
  cancelled: AbortSignal,
): Promise<Bent | undefined> {
  for (const kind of CHAINED_KINDS) {
    let after: string | null = '';
    while (after !== null) {
      cancelled.throwIfAborted();
      const from: string = after;
      const page = await whileVerifying(postgres, (tx) => findUnchained(tx, accountId, kind, from, IDS_AT_ONCE));
      const { unchained: recordId } = page;
      if (recordId !== null) return { found: 'record_not_chained', sequence: null, kind, recordId, fields: [] };
      after = page.last;
    }
  }
  return undefined;
}

async function findFirstBentBalance(
  postgres: Pool,
  accountId: string,
  cancelled: AbortSignal,
): Promise<Bent | undefined> {
  let after: string | null = '';
  while (after !== null) {
    cancelled.throwIfAborted();
    const from: string = after;
    const { last, bent } = await whileVerifying(postgres, (tx) => findBentBalance(tx, accountId, from, IDS_AT_ONCE));
    if (bent) return bent;
    after = last;
  }
  return undefined;
}

function bentHead({ sequence, chainHash: chained, stored }: BentHead): Bent {
  const found = stored === null ? 'head_missing' : 'head_changed';
  return { found, sequence, kind: null, recordId: null, fields: [{ field: 'chain_hash', stored, chained }] };
}
