import { sum, ZERO } from '../../core/decimal.ts';
import type { Instant } from '../../core/instants.ts';
import type { Log } from '../../runtime/log.ts';
import { findFirstTold } from '../../sql/postgres/catalog/missing-prices.ts';
import {
  claimHeldCount,
  type HeldCount,
  listAccountsTold,
  updateHeldCount,
} from '../../sql/postgres/catalog/price-watch.ts';
import { sumHeldCombinations } from '../../sql/postgres/invoices/held-combinations.ts';
import { inReading } from '../../sql/postgres/postgres.ts';
import type { UsageReader } from '../dependencies.ts';
import { countHeldEvents, findHoldersInTurn } from './held-by-holders.ts';

const COUNTED_EVERY_SECONDS = 60;
/** Combinations counted at once: where there are more, the figure tells enough. */
const MOST = 10_000;

/** Counts what is held in all accounts, for the operator; by one worker, once a minute. An account that cannot be counted is left out. */
export async function countHeldUsage({ log, ...sources }: UsageReader & { log: Log }): Promise<void> {
  const { postgres } = sources;
  if (!(await claimHeldCount(postgres, COUNTED_EVERY_SECONDS))) return;
  const counts: HeldCount[] = [];
  for (const accountId of await listAccountsTold(postgres)) {
    try {
      counts.push(await countOfAccount(sources, accountId));
    } catch (err) {
      log.error({ err, accountId }, 'held usage could not be counted');
    }
  }
  await updateHeldCount(postgres, together(counts));
}

async function countOfAccount(sources: UsageReader, accountId: string): Promise<HeldCount> {
  const { postgres } = sources;
  const counts = [await inReading(postgres, accountId, (tx) => sumHeldCombinations(tx, accountId))];
  for await (const found of findHoldersInTurn(sources, accountId)) {
    for await (const held of countHeldEvents(sources, accountId, found, MOST)) {
      const toldSince = await inReading(postgres, accountId, (tx) => findFirstTold(tx, accountId, held));
      counts.push({ events: sum(held.map(({ eventsCount }) => eventsCount)), toldSince });
    }
  }
  return together(counts);
}

function together(counts: readonly HeldCount[]): HeldCount {
  const times = counts.flatMap(({ toldSince }): Instant[] => (toldSince === null ? [] : [toldSince]));
  const toldSince = times.reduce<Instant | null>((first, at) => (first === null ? at : Math.min(first, at)), null);
  return { events: sum([ZERO, ...counts.map(({ events }) => events)]), toldSince };
}
