import { queryOptions } from '@tanstack/react-query';
import { type ListPath, type Parameters, type ReadPath, type RecordOf, read } from './client.ts';

/** A page of a list. */
export type Page<Row> = {
  count: number;
  count_is_capped?: true;
  next: string | null;
  previous: string | null;
  results: Row[];
};

/** How often a page asks again whose record changes by itself, in milliseconds. */
export const LIVE_MS = 2_000;

/** A record, kept by its path and parameters. */
export function recordQuery<P extends ReadPath>(path: P, parameters: Parameters = {}) {
  return queryOptions({ queryKey: [path, parameters], queryFn: () => read(path, parameters) });
}

/** A page of a list; the one before stays shown until the next is there, where both are of the same records. */
export function listQuery<P extends ListPath>(path: P, parameters: Parameters = {}) {
  return queryOptions({
    queryKey: [path, parameters] as const,
    queryFn: async () => (await read(path, parameters)) as Page<RecordOf<P>>,
    placeholderData: (before, query) => (query && isOfTheSame(query.queryKey, [path, parameters]) ? before : undefined),
  });
}

type ListKey = readonly [path: string, parameters: Parameters];

/** Whether two pages are of one list about the same customer, invoice, and so on: nobody's figures stand under another's name. */
export function isOfTheSame([path, one]: ListKey, [otherPath, other]: ListKey): boolean {
  return path === otherPath && JSON.stringify(idsOf(one)) === JSON.stringify(idsOf(other));
}

function idsOf({ path = {}, query = {} }: Parameters) {
  const ids = Object.entries({ ...path, ...query }).filter(([name, value]) => name.endsWith('_id') && value);
  return ids.sort(([one], [other]) => (one < other ? -1 : 1));
}
