import {
  claimHeldCount,
  claimPriceWatch,
  listAccountsBehind,
  listAccountsTold,
  listHoldersToLookAt,
  listWatchedPriceBooks,
} from '../../sql/postgres/catalog/price-watch.ts';
import { listHeldCombinations } from '../../sql/postgres/invoices/held-combinations.ts';
import { listHolders, listHoldingPlans } from '../../sql/postgres/invoices/holders.ts';
import type { Pool, Transaction } from '../../sql/postgres/postgres.ts';

/** What is asked of all accounts, again and again, to find usage without a price. */
export const OF_THE_PRICE_WATCH: Record<string, (postgres: Pool) => Promise<unknown>> = {
  claimHeldCount: (postgres) => claimHeldCount(postgres, 0),
  claimPriceWatch: (postgres) => claimPriceWatch(postgres, 'nobody', 0),
  listAccountsBehind: (postgres) => listAccountsBehind(postgres),
  listAccountsTold: (postgres) => listAccountsTold(postgres),
  listHoldersToLookAt: (postgres) => listHoldersToLookAt(postgres, [], 50),
  listWatchedPriceBooks: (postgres) => listWatchedPriceBooks(postgres),
};

const [PAGE, NEWEST] = [
  { limit: 50, offset: 0 },
  { before: null, limit: 50 },
];
const OF_ONE = { customerId: 'customer-1' };

/** What the list of usage without a price asks of an account. */
export const OF_HELD_USAGE: Record<string, (tx: Transaction, accountId: string) => Promise<unknown>> = {
  listHeldCombinations: (tx, a) => listHeldCombinations(tx, a, {}, PAGE),
  'listHeldCombinations of a customer': (tx, a) => listHeldCombinations(tx, a, OF_ONE, PAGE),
  listHolders: (tx, a) => listHolders(tx, a, {}, NEWEST),
  'listHolders of a customer': (tx, a) => listHolders(tx, a, OF_ONE, NEWEST),
  listHoldingPlans: (tx, a) => listHoldingPlans(tx, a),
};
