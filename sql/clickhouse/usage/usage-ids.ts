import { buffer, text } from 'node:stream/consumers';
import type { ClickHouseClient } from '@clickhouse/client';

/** Ids asked for in one query: their text stays well below the server's limit for the length of a query. */
const IDS_PER_PROBE = 4_000;

/** Fingerprints of one page of {@link listUsageIds}: a few megabytes. */
const IDS_PER_PAGE = 500_000;

/** Which of these fingerprints (UInt128 in decimal text) have landed. */
export async function findUsageIds(client: ClickHouseClient, fingerprints: string[]): Promise<string[]> {
  const found: string[] = [];
  for (const list of fingerprintArrays(fingerprints)) {
    const answer = await client.exec({
      query: `SELECT DISTINCT fingerprint FROM usage_ids WHERE fingerprint IN ${list} FORMAT TabSeparated`,
    });
    found.push(...(await text(answer.stream)).split('\n').filter((line) => line !== ''));
  }
  return found;
}

/** Ids of some partitions alone: `own` of the `partitions` that the usage stream has. */
export type IdShare = { partitions: number; own: readonly number[] };

/** How many ids have landed, in all partitions or in those of `share`. */
export async function countUsageIds(client: ClickHouseClient, share?: IdShare): Promise<number> {
  const answer = await client.exec({
    query: `SELECT count() FROM usage_ids WHERE ${within(share)} FORMAT TabSeparated`,
  });
  return Number(await text(answer.stream));
}

/** The rule of `partitionOf` (stream/subjects.ts): the first 32 bits of the fingerprint choose its partition. */
function within(share: IdShare | undefined): string {
  if (!share || share.own.length === share.partitions) return '1';
  return `bitShiftRight(fingerprint, 96) % ${Number(share.partitions)} IN (${share.own.map(Number).join(', ')})`;
}

/**
 * All landed fingerprints (of `share`), page by page in no particular order, as little-endian integers of 16 bytes.
 * Ids that land while it runs may be missing.
 */
export async function* listUsageIds(client: ClickHouseClient, share?: IdShare): AsyncGenerator<Buffer> {
  const pages = Math.max(1, Math.ceil((await countUsageIds(client, share)) / IDS_PER_PAGE));
  for (let page = 0; page < pages; page++) {
    const [from, to] = [startOfPage(page, pages), startOfPage(page + 1, pages)];
    const answer = await client.exec({
      query: `SELECT fingerprint FROM usage_ids
              WHERE fingerprint >= toUInt128('${from}') AND fingerprint <= toUInt128('${to - 1n}')
                AND ${within(share)} FORMAT RowBinary`,
    });
    yield await buffer(answer.stream);
  }
}

/** Fingerprints are hashes: equal ranges of them hold about equally many. */
function startOfPage(page: number, pages: number): bigint {
  return ((1n << 128n) * BigInt(page)) / BigInt(pages);
}

/**
 * Fingerprints as SQL text, in lists that fit into one query. As text of an array: a literal of that many digits in SQL
 * would be a float.
 */
export function* fingerprintArrays(fingerprints: string[]): Generator<string> {
  for (let i = 0; i < fingerprints.length; i += IDS_PER_PROBE) {
    const list = fingerprints.slice(i, i + IDS_PER_PROBE).map(digits);
    yield `CAST('[${list.join(',')}]', 'Array(UInt128)')`;
  }
}

/** The list stands in the text of the query, so nothing but digits may get there. */
function digits(fingerprint: string): string {
  if (!/^\d{1,39}$/.test(fingerprint)) throw new Error('A fingerprint is not a number.');
  return fingerprint;
}
