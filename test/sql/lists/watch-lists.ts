import {
  claimHeldCount,
  claimPriceWatch,
  listAccountsBehind,
  listAccountsTold,
  listHoldersToLookAt,
  listWatchedPriceBooks,
} from '../../../sql/postgres/catalog/price-watch.ts';
import { listHeldCombinations } from '../../../sql/postgres/invoices/held-combinations.ts';
import { listHolders, listHoldingPlans } from '../../../sql/postgres/invoices/holders.ts';
import type { PageWindow } from '../../../sql/postgres/page-window.ts';
import type { Pool, Transaction } from '../../../sql/postgres/postgres.ts';

/** What is asked of all accounts, again and again, to find usage without a price. */
export const OF_THE_PRICE_WATCH: Record<string, (postgres: Pool) => Promise<unknown>> = {
  claimHeldCount: (postgres) => claimHeldCount(postgres, 0),
  claimPriceWatch: (postgres) => claimPriceWatch(postgres, 'nobody', 0),
  listAccountsBehind: (postgres) => listAccountsBehind(postgres),
  listAccountsTold: (postgres) => listAccountsTold(postgres),
  listHoldersToLookAt: (postgres) => listHoldersToLookAt(postgres, [], 50),
  listWatchedPriceBooks: (postgres) => listWatchedPriceBooks(postgres),
};

const NEWEST = { before: null, limit: 50 };
const OF_ONE = { customerId: 'customer-1' };

/** What the list of usage without a price asks of an account. */
export const OF_HELD_USAGE: Record<
  string,
  (tx: Transaction, accountId: string, _: unknown, page: PageWindow) => Promise<unknown>
> = {
  listHeldCombinations: (tx, a, _, page) => listHeldCombinations(tx, a, {}, page),
  'listHeldCombinations of a customer': (tx, a, _, page) => listHeldCombinations(tx, a, OF_ONE, page),
  listHolders: (tx, a) => listHolders(tx, a, {}, NEWEST),
  'listHolders of a customer': (tx, a) => listHolders(tx, a, OF_ONE, NEWEST),
  listHoldingPlans: (tx, a) => listHoldingPlans(tx, a),
};
