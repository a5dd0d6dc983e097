import type { ClickHouseClient } from '@clickhouse/client';
import { countUsageIds, FINGERPRINT_BYTES, findUsageIds, type IdShare, listUsageIds } from '../sql/usage-ids.ts';
import { type Fingerprint, fingerprintFromDecimal, fingerprintToDecimal } from '../stream/fingerprint.ts';
import { createIdFilter, type IdFilter } from './id-filter.ts';

/** What this process knows about ids that have landed, in the partitions it lands. */
export type KnownIds = {
  /** Which of these have landed. Exact: what memory cannot tell is asked of the usage store; throws when it is away. */
  findLanded(fingerprints: Iterable<Fingerprint>): Promise<Set<Fingerprint>>;
  /** To be called with every id that landed, after it did. */
  add(fingerprints: Iterable<Fingerprint>): void;
  /** Ids known, and the bytes they take in the filter. */
  size(): { ids: number; bytes: number };
};

/** Repeats mostly come soon after the first: this many of the newest ids are known without asking (about 15 MB). */
const RECENT_IDS = 100_000;

/** Room left in the filter at a start before it has to grow. */
const HEADROOM = 1.5;

/**
 * Learns the landed ids of its partitions from the usage store: no repeat of another id can come to its writers. From then on the writers of this process must tell it every id they land;
 * ids that others land are of no interest, since a writer that shares its partition loses the fence. The filter takes at
 * most `maxBytes`; an id that does not fit is asked for more often, never forgotten.
 */
export async function loadKnownIds(client: ClickHouseClient, share?: IdShare): Promise<KnownIds> {
  const filter = createIdFilter(Math.ceil((await countUsageIds(client, share)) * HEADROOM));
  for await (const page of listUsageIds(client, share)) addPage(filter, page);
  const recent = createRecentIds();

  async function findLanded(fingerprints: Iterable<Fingerprint>): Promise<Set<Fingerprint>> {
    const landed = new Set<Fingerprint>();
    const unsure: Fingerprint[] = [];
    for (const fingerprint of fingerprints) {
      if (recent.has(fingerprint)) landed.add(fingerprint);
      else if (filter.mayHave(fingerprint)) unsure.push(fingerprint);
    }
    const found = unsure.length === 0 ? [] : await findUsageIds(client, unsure.map(fingerprintToDecimal));
    for (const decimal of found) landed.add(fingerprintFromDecimal(decimal));
    return landed;
  }

  function add(fingerprints: Iterable<Fingerprint>) {
    for (const fingerprint of fingerprints) {
      filter.add(fingerprint);
      recent.add(fingerprint);
    }
  }

  return { findLanded, add, size: () => ({ ids: filter.size(), bytes: filter.bytes() }) };
}

function addPage(filter: IdFilter, page: Buffer) {
  // A view on words must start at a multiple of four, which a buffer from the network need not.
  const words = new Uint32Array(page.buffer.slice(page.byteOffset, page.byteOffset + page.byteLength));
  for (let at = 0; at < words.length; at += FINGERPRINT_BYTES / 4) filter.addWords(words, at);
}

/** The newest ids in two generations: when the young one is full, the old one is forgotten. */
function createRecentIds() {
  let young = new Set<Fingerprint>();
  let old = new Set<Fingerprint>();
  return {
    has: (fingerprint: Fingerprint) => young.has(fingerprint) || old.has(fingerprint),
    add(fingerprint: Fingerprint) {
      young.add(fingerprint);
      if (young.size < RECENT_IDS / 2) return;
      old = young;
      young = new Set();
    },
  };
}
