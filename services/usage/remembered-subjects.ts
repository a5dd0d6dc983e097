import { isDeepStrictEqual } from 'node:util';
import type { Metric } from '../../billing/catalog/metrics.ts';

/** What the records say that a question about a customer's usage is made of. */
export type Subject = { metric: Metric; timeZone: string };

/** Whom a question is about, by ids. */
export type SubjectIds = { accountId: string; metricId: string; customerId: string };

/** What the records said of them last. Not shared: each process remembers for itself. */
export type RememberedSubjects = {
  find(ids: SubjectIds): Subject | undefined;
  keep(ids: SubjectIds, subject: Subject): void;
};

/** Metrics, and as many customers: of a few hundred bytes each. The oldest are forgotten. */
const MAX_REMEMBERED = 10_000;

export function rememberSubjects(): RememberedSubjects {
  const metrics = new Map<string, Metric>();
  const timeZones = new Map<string, string>();
  return {
    find: ({ accountId, metricId, customerId }) => {
      const metric = metrics.get(`${accountId} ${metricId}`);
      const timeZone = timeZones.get(`${accountId} ${customerId}`);
      return metric && timeZone !== undefined ? { metric, timeZone } : undefined;
    },
    keep: ({ accountId, metricId, customerId }, { metric, timeZone }) => {
      keepNewest(metrics, `${accountId} ${metricId}`, metric);
      keepNewest(timeZones, `${accountId} ${customerId}`, timeZone);
    },
  };
}

function keepNewest<T>(kept: Map<string, T>, key: string, value: T) {
  kept.delete(key);
  kept.set(key, value);
  for (const oldest of kept.keys()) {
    if (kept.size <= MAX_REMEMBERED) break;
    kept.delete(oldest);
  }
}

/**
 * Asks ClickHouse by what is remembered while the records are asked. The records decide: where they say something else, it is
 * asked again by that, and where `load` throws, nobody sees what ClickHouse said. `ask` builds on nothing but the subject.
 */
export async function askBesideRecords<Answer>(
  remembered: RememberedSubjects,
  ids: SubjectIds,
  { load, ask }: { load(): Promise<Subject>; ask(subject: Subject): Promise<Answer> },
): Promise<Answer> {
  const foreseen = remembered.find(ids);
  const early = foreseen && ask(foreseen);
  early?.catch(() => {}); // rejects where it is returned
  const subject = await load();
  if (early && isDeepStrictEqual(subject, foreseen)) return early;
  remembered.keep(ids, subject);
  return ask(subject);
}
