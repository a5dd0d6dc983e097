import {
  claimHeldCount,
  claimPriceWatch,
  listAccountsBehind,
  listAccountsTold,
  listHoldersToLookAt,
  listWatchedPriceBooks,
} from '../../sql/postgres/catalog/price-watch.ts';
import type { Pool } from '../../sql/postgres/postgres.ts';

/** What is asked of all accounts, again and again, to find usage without a price. */
export const OF_THE_PRICE_WATCH: Record<string, (postgres: Pool) => Promise<unknown>> = {
  claimHeldCount: (postgres) => claimHeldCount(postgres, 0),
  claimPriceWatch: (postgres) => claimPriceWatch(postgres, 'nobody', 0),
  listAccountsBehind: (postgres) => listAccountsBehind(postgres),
  listAccountsTold: (postgres) => listAccountsTold(postgres),
  listHoldersToLookAt: (postgres) => listHoldersToLookAt(postgres, [], 50),
  listWatchedPriceBooks: (postgres) => listWatchedPriceBooks(postgres),
};
