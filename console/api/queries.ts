import { keepPreviousData, queryOptions } from '@tanstack/react-query';
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

/** A page of a list; the one before stays shown until the next is there. */
export function listQuery<P extends ListPath>(path: P, parameters: Parameters = {}) {
  return queryOptions({
    queryKey: [path, parameters],
    queryFn: async () => (await read(path, parameters)) as Page<RecordOf<P>>,
    placeholderData: keepPreviousData,
  });
}
