import { listPrices } from '../../../sql/postgres/catalog/plan-prices.ts';
import { listLimitedLines } from '../../../sql/postgres/invoices/limited-amounts.ts';
import { listInvoiceLines } from '../../../sql/postgres/invoices/shown-invoices.ts';
import { listSwitchCharges } from '../../../sql/postgres/invoices/switch-charges.ts';
import type { PageWindow } from '../../../sql/postgres/page-window.ts';
import type { Transaction } from '../../../sql/postgres/postgres.ts';
import { listEarlierLives } from '../../../sql/postgres/subscriptions/earlier-lives.ts';
import { listBilledLater } from '../../../sql/postgres/subscriptions/subscriptions.ts';

/** Lists of what hangs on one record, or on the few that are asked for, found by its key. */
export const OF_ONE_RECORD = [
  'listApplicableDiscounts',
  'listAttachedAddons',
  'listBilledTo',
  'listLinesOfSuccession',
  'listLimitedAmounts',
  'listBilledPriceBooks',
  'listBilledUsage',
  'listSwitchedPeriods',
  'listChargeableAddons',
  'listChargeableAddonsOf',
  'listChargedFees',
  'listConnections',
  'listCreditedBack',
  'listCreditUses',
  'listDiscountLines',
  'listHeldInParts',
  'listLinesInParts',
  'listRowsInParts',
  'listSectionsInParts',
  'listInvoicesAtHand',
  'listInvoicesInFlight',
  'listNewlyPriced',
  'listHeldOf',
  'listHoldersOf',
  'listWatermarksOf',
  'listOverpaymentsOf',
  'listPriceRows',
  'listBooksOfCustomer',
  'listCurrencyRows',
  'listWaitingSections',
  'listOwnPrepaidUnits',
  'listOwnPrepaidUnitsOf',
  'listPauses',
  'listPausesOf',
  'listPrepaidUnits',
  'listRefundsOfInvoices',
  'listRevenueLines',
  'listDueSchedules',
  'listSchedulesBeside',
  'listSchedulesDue',
  'listSchedulesOnClock',
  'listFirstPeriods',
  'listPendingItems',
  'listPendingItemsOf',
  'listPendingPeriods',
  'listWaitingPeriods',
  'listWaitingPeriodsOf',
];

/** Asked only in the first hours after an upgrade, for what the release before has kept: at most 48 hours of answers, by age. */
export const ONCE = ['listUnkeyedOperations'];
/** Asked by an operator's command, and answered whole. */
export const BY_COMMAND = [
  'listAccounts',
  'listChainEnds',
  'listCustomersDeletedSince',
  'listInvoicesAfter',
  'listLedgerImbalances',
];

const EARLIER = { customerId: 'customer-1', planId: 'plan', metricIds: ['metric'] };

/** What a subscription was charged, asked by its closings, and what is listed of a large record. */
export const OF_LINES: Record<
  string,
  (tx: Transaction, account: string, id: (name: string) => string, page: PageWindow) => Promise<unknown>
> = {
  listInvoiceLines: (tx, a, id, page) => listInvoiceLines(tx, a, id('invoice_id'), page),
  listPrices: (tx, a, _, page) => listPrices(tx, a, { pricesOf: 'version-7' }, page),
  'listPrices of a metric': (tx, a, _, page) =>
    listPrices(tx, a, { pricesOf: 'version-7', metricId: 'metric-7' }, page),
  listLimitedLines: (tx, a) => listLimitedLines(tx, a, ['subscription-7'], 0),
  listSwitchCharges: (tx, a) => listSwitchCharges(tx, a, [{ subscriptionId: 'subscription-7', at: 0 }]),
  listBilledLater: (tx, a) => listBilledLater(tx, a, ['customer-1']),
  listEarlierLives: (tx, a) => listEarlierLives(tx, a, EARLIER, { startsAt: 0, endsAt: 1e12 }),
};
