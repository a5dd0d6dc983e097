import { expect, test } from 'vitest';
import { namedImportsOf, root, textsOf } from './source-files.ts';

/**
 * Statements that write billing records (docs/decisions/decider.md): `services/billing/save-changes.ts` calls each. The files are those that still call it
 * beside it; they move behind change sets one after another, so this list only becomes shorter.
 */
const STILL_OUTSIDE: Record<string, string[]> = {
  insertInvoices: [],
  insertLineCounts: [],
  insertSections: [],
  updateSectionsInvoiced: [],
  updatePendingItemsTaken: [],
  deletePendingItems: [],
  updateDiscountsUsed: [],
  upsertPastDueWaits: [],
  insertCredits: [],
  updateCredits: [],
  updateCreditsRestored: [],
  insertCreditApplications: [],
  updateInvoices: [],
  insertPayments: [],
  updateDiscountsUncounted: [],
  insertLedgerTransactions: [],
  updateAddonsBilled: ['services/subscriptions/end-periods.ts'],
  updateNextFeesTaken: [],
  insertBilledUsage: [],
  upsertWatermarks: [],
  upsertLimitedAmounts: ['services/invoices/late-usage.ts'],
  insertPendingItems: [],
  updatePendingItemsCredited: [],
  updateNextFeeCredited: [],
  updatePeriodSwitched: ['services/subscriptions/create-subscription.ts', 'services/subscriptions/replace.ts'],
  upsertPrepaidChange: [],
  insertAddonSubscription: [],
  updateAddonAttached: [],
  updateAddonCanceled: [],
  insertDiscount: [],
  updateDiscountRemoved: [],
  insertAttempt: [],
  updateAttempt: [],
  updateDispute: [],
  planSteps: [],
  deleteSteps: ['services/subscriptions/end-subscriptions.ts'],
  deleteStepsOfClock: [],
  deletePastDueWaits: [],
  insertRefund: [],
  updateRefund: [],
};

test('billing records are written by save-changes.ts, and by the files that are named here', () => {
  const files = textsOf(root, ['.ts']).filter(({ path }) => !/^(sql|test)\//.test(path));
  const imports = files.flatMap(({ path, text }) => namedImportsOf(text).map(({ name }) => ({ path, name })));
  const found = Object.keys(STILL_OUTSIDE).map((statement) => {
    const paths = imports.filter(({ name }) => name === statement).map(({ path }) => path);
    return [statement, paths.filter((path) => path !== 'services/billing/save-changes.ts').toSorted()];
  });
  expect(Object.fromEntries(found)).toEqual(STILL_OUTSIDE);
});
