import type { Operation } from './operation.ts';

/** `GET /metrics` is Prometheus's, so the alias of `GET /api/metrics` without the prefix does not exist (spec/api#paths). */
const NO_ALIAS = new Set(['get /metrics']);

/**
 * Every path under which an operation answers, in Hono's form: with and without `/api`, and with `_` for `-` in its fixed
 * words and the reverse (spec/api#paths). The trailing slash is ignored by the router itself.
 */
export function pathAliases({ method, path }: Pick<Operation, 'method' | 'path'>): string[] {
  const segments = path
    .replace(/^\/api/, '')
    .split('/')
    .filter(Boolean);
  const spellings = segments.reduce<string[]>(
    (paths, segment) => paths.flatMap((prefix) => spell(segment).map((word) => `${prefix}/${word}`)),
    [''],
  );
  return spellings.flatMap((spelling) => [
    `/api${spelling}`,
    ...(NO_ALIAS.has(`${method} ${spelling}`) ? [] : [spelling]),
  ]);
}

function spell(segment: string): string[] {
  const id = /^\{(\w+)\}$/.exec(segment);
  if (id) return [`:${id[1]}`];
  const words = segment.split(/[-_]/);
  return words
    .slice(1)
    .reduce((spellings, word) => spellings.flatMap((s) => [`${s}-${word}`, `${s}_${word}`]), [words[0] ?? '']);
}
