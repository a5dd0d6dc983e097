import type { ClickHouseClient } from '@clickhouse/client';
import { countUsageIds, findUsageIds, type IdShare, listUsageIds } from '../sql/clickhouse/usage/usage-ids.ts';
import { FINGERPRINT_WORDS, fingerprintFromWords, fingerprintToDecimal } from '../stream/fingerprint.ts';
import { createIdFilter, type IdFilter } from './id-filter.ts';
import { createIdSet } from './id-set.ts';

/**
 * What this process knows about ids that have landed, in the partitions it lands. Fingerprints are given as lists of their
 * words, four each.
 */
export type KnownIds = {
  /** Which of these have landed, in their order. Exact: what memory cannot tell is asked of ClickHouse; throws when it is away. */
  findLanded(fingerprints: Uint32Array): Promise<boolean[]>;
  /** To be called with every batch after it landed: `accepted` says which of its ids are new. */
  add(fingerprints: Uint32Array, accepted: readonly boolean[]): void;
  /** Ids known, and the bytes they take in the filter. */
  size(): { ids: number; bytes: number };
};

/** Repeats mostly come soon after the first: at least half this many of the newest ids are known without asking (5 MB). */
const RECENT_IDS = 100_000;

/** Room left in the filter at a start before it has to grow. */
const HEADROOM = 1.5;

/**
 * Learns the landed ids of its partitions from ClickHouse: no repeat of another id can come to its writers. From then
 * on the writers of this process must tell it every id they land; ids that others land are of no interest, since a writer
 * that shares its partition loses the fence. The filter takes at most `maxBytes` (but room for a million ids); an id that does
 * not fit is asked for more often, never forgotten.
 */
export async function loadKnownIds(client: ClickHouseClient, maxBytes: number, share?: IdShare): Promise<KnownIds> {
  const filter = createIdFilter(Math.ceil((await countUsageIds(client, share)) * HEADROOM), maxBytes);
  for await (const page of listUsageIds(client, share)) addPage(filter, page);
  const recent = createRecentIds();

  async function findLanded(fingerprints: Uint32Array): Promise<boolean[]> {
    const landed: boolean[] = [];
    /** Events that the filter says yes to, by the decimal text of their fingerprint. */
    const unsure = new Map<string, number[]>();
    for (let at = 0; at < fingerprints.length; at += FINGERPRINT_WORDS) {
      // Nearly all are new, which the filter says for certain.
      const mayHave = filter.mayHave(fingerprints, at);
      const isRecent = mayHave && recent.has(fingerprints, at);
      landed.push(isRecent);
      if (isRecent || !mayHave) continue;
      const decimal = fingerprintToDecimal(fingerprintFromWords(fingerprints, at));
      unsure.set(decimal, [...(unsure.get(decimal) ?? []), landed.length - 1]);
    }
    const found = unsure.size === 0 ? [] : await findUsageIds(client, [...unsure.keys()]);
    for (const decimal of found) for (const i of unsure.get(decimal) ?? []) landed[i] = true;
    return landed;
  }

  function add(fingerprints: Uint32Array, accepted: readonly boolean[]) {
    for (let i = 0; i < accepted.length; i++) {
      if (!accepted[i]) continue;
      filter.add(fingerprints, i * FINGERPRINT_WORDS);
      recent.add(fingerprints, i * FINGERPRINT_WORDS);
    }
  }

  return { findLanded, add, size: () => ({ ids: filter.size(), bytes: filter.bytes() }) };
}

function addPage(filter: IdFilter, page: Buffer) {
  // A view on words must start at a multiple of four, which a buffer from the network need not.
  const words = new Uint32Array(page.buffer.slice(page.byteOffset, page.byteOffset + page.byteLength));
  for (let at = 0; at < words.length; at += FINGERPRINT_WORDS) filter.add(words, at);
}

/** The newest ids in two generations: when the young one is full, the old one is forgotten. */
function createRecentIds() {
  let young = createIdSet(RECENT_IDS / 2);
  let old = createIdSet(0);
  return {
    has: (words: Uint32Array, at: number) => young.has(words, at) || old.has(words, at),
    add(words: Uint32Array, at: number) {
      young.add(words, at);
      if (young.size() < RECENT_IDS / 2) return;
      old = young;
      young = createIdSet(RECENT_IDS / 2);
    },
  };
}
