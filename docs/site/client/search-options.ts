import type { Options } from 'minisearch';

/** Something that can be found; `id` is its address. */
export type SearchEntry = { id: string; title: string; where: string; text: string };

/** How the index is made and read: both need the same. */
export const SEARCH_OPTIONS: Options<SearchEntry> = {
  fields: ['title', 'where', 'text'],
  storeFields: ['title', 'where'],
  tokenize: (text) => text.split(/[^\p{L}\p{N}_]+/u),
  // `prepaid_units` is found by itself, and by either of its words.
  processTerm: (word) => (word.includes('_') ? [word, ...word.split('_')] : [word]).map((one) => one.toLowerCase()),
  searchOptions: {
    processTerm: (word) => word.toLowerCase(),
    prefix: true,
    fuzzy: 0.1,
    combineWith: 'AND',
    boost: { title: 4, where: 1.5 },
    boostDocument: (id: string) => weightOf(id),
  },
};

/** Pages first, then operations, then what is sent, then what comes back or is received. */
function weightOf(address: string): number {
  if (!address.startsWith('/docs/api/')) return 2.5;
  if (/\.answer\.|#receive\w+\./.test(address)) return 0.5;
  return /#\w+\./.test(address) ? 1 : 2;
}
