import type { ChangeSet, NewPosting, PlannedStep, StepDone } from '../../billing/change-set.ts';
import { COLLECTION_RANK, PAST_DUE_RANK, SECTIONS_RANK, STEP_RANK } from '../../billing/periods/schedule.ts';
import {
  collectionSubject,
  pastDueSubject,
  sectionsSubject,
  subscriptionSubject,
} from '../../billing/periods/step-subjects.ts';
import {
  deleteReversals,
  insertCharges,
  insertReversals,
  updateReversalSource,
  updateTermsVoided,
} from '../../sql/postgres/charges/charges.ts';
import { updateCredits, updateCreditsRestored } from '../../sql/postgres/credits/credit-changes.ts';
import { insertCreditApplications, insertCredits } from '../../sql/postgres/credits/credits.ts';
import { insertRefund, updateRefund } from '../../sql/postgres/credits/refunds.ts';
import { type DueStep, deleteSteps, deleteStepsOfClock, planSteps } from '../../sql/postgres/due-steps.ts';
import { insertBilledUsage, updateBilledUsage } from '../../sql/postgres/invoices/billed-usage.ts';
import { insertInvoices, updateInvoices } from '../../sql/postgres/invoices/invoice-changes.ts';
import {
  deleteWaitingSections,
  insertSections,
  updateSectionsInvoiced,
} from '../../sql/postgres/invoices/invoice-sections.ts';
import { upsertLimitedAmounts } from '../../sql/postgres/invoices/limited-amounts.ts';
import { insertLineCounts } from '../../sql/postgres/invoices/line-counts.ts';
import { deletePastDueWaits, upsertPastDueWaits } from '../../sql/postgres/invoices/past-due-waits.ts';
import {
  deletePendingItems,
  insertPendingItems,
  updatePendingItemsCredited,
  updatePendingItemsTaken,
} from '../../sql/postgres/invoices/pending-items.ts';
import { updateWatermarks, upsertWatermarks } from '../../sql/postgres/invoices/usage-watermarks.ts';
import { insertLedgerTransactions } from '../../sql/postgres/ledger/ledger.ts';
import { insertOutboxEvents } from '../../sql/postgres/outbox.ts';
import { insertAttempt, updateAttempt, updateDispute } from '../../sql/postgres/payments/payment-attempts.ts';
import { insertPayments } from '../../sql/postgres/payments/payments.ts';
import { type Transaction, withoutAnswers } from '../../sql/postgres/postgres.ts';
import {
  insertAddonSubscription,
  updateAddonAttached,
  updateAddonCanceled,
  updateAddonsBilled,
} from '../../sql/postgres/subscriptions/addon-subscriptions.ts';
import {
  insertDiscount,
  updateDiscountRemoved,
  updateDiscountsUncounted,
  updateDiscountsUsed,
} from '../../sql/postgres/subscriptions/discounts.ts';
import { insertPause, updatePauseEnded } from '../../sql/postgres/subscriptions/pauses.ts';
import {
  updateNextFeeCredited,
  updateNextFeesTaken,
  updatePendingInvoicesCleared,
  updatePeriodsEnded,
  updatePeriodsInvoiced,
  updateWaitingDue,
} from '../../sql/postgres/subscriptions/pending-invoices.ts';
import {
  insertPeriods,
  updatePeriodClosed,
  updateTrial,
  updateWaitingPeriodsBilled,
} from '../../sql/postgres/subscriptions/periods.ts';
import { replacePhases, updateVersion } from '../../sql/postgres/subscriptions/planned-changes.ts';
import { insertPrepaidUnits, upsertPrepaidChange } from '../../sql/postgres/subscriptions/prepaid-units.ts';
import {
  insertSubscription,
  updateLaterBillsCleared,
  updateSubscription,
} from '../../sql/postgres/subscriptions/subscriptions.ts';
import { updatePeriodSwitched } from '../../sql/postgres/subscriptions/switched-periods.ts';
import { moveToSuccessor } from '../../sql/postgres/subscriptions/switches.ts';
import { BY_SYSTEM } from '../audit/origin.ts';
import { saveAuditEntries } from '../audit/save-audit-entry.ts';
import { auditedOf, eventsOf } from './record-json.ts';
import { newIdsOf, type SavedChanges, type SavedIds, withSavedIds } from './saved-ids.ts';

type Member = Extract<keyof ChangeSet, string>;

/** Writes the rows of a member of a change set. It is not called without rows. */
type Write<M extends Member> = (
  tx: Transaction,
  accountId: string,
  rows: NonNullable<SavedChanges[M]>,
  saved: SavedChanges,
) => Promise<void> | void;

/** How each member is written, in the order in which the statements are sent. */
const WRITES: { readonly [M in Member]: Write<M> } = {
  periodsClosed: each(updatePeriodClosed),
  periodsEnded: updatePeriodsEnded,
  versionsBegun: each(updateVersion),
  subscriptionsChanged: each(updateSubscription),
  subscriptionsAdded: each(insertSubscription),
  periodsAdded: insertPeriods,
  phasesReplaced: each(replacePhases),
  successions: each(moveToSuccessor),
  periodsSwitched: each(updatePeriodSwitched),
  trialsChanged: each(updateTrial),
  pausesBegun: each(insertPause),
  pausesEnded: each(updatePauseEnded),
  waitingPeriodsBilled: each(updateWaitingPeriodsBilled),
  waitingPeriodsDue: each(updateWaitingDue),
  periodsInvoiced: updatePeriodsInvoiced,
  leftToInvoiceDropped: each(dropLeftToInvoice),
  prepaidUnitsAdded: each(insertPrepaidUnits),
  prepaidUnitsChanged: each(upsertPrepaidChange),
  invoices: saveInvoices,
  charges: each(insertCharges),
  reversals: insertReversals,
  reversalsDropped: each(deleteReversals),
  reversalsMoved: each(updateReversalSource),
  termsVoided: each(updateTermsVoided),
  credits: insertCredits,
  creditsChanged: updateCredits,
  creditApplications: insertCreditApplications,
  creditsRestored: updateCreditsRestored,
  invoicesChanged: updateInvoices,
  payments: insertPayments,
  attempts: each(insertAttempt),
  attemptsChanged: each(updateAttempt),
  disputesChanged: each(updateDispute),
  refunds: each(insertRefund),
  refundsChanged: each(updateRefund),
  discountsAdded: each(insertDiscount),
  discountsRemoved: each(updateDiscountRemoved),
  discountsUsed: updateDiscountsUsed,
  discountsUncounted: updateDiscountsUncounted,
  sections: insertSections,
  sectionsInvoiced: updateSectionsInvoiced,
  pendingTaken: updatePendingItemsTaken,
  pendingDeleted: deletePendingItems,
  pendingAdded: each((tx, accountId, { owner, lines, counts }) =>
    insertPendingItems(tx, accountId, owner, lines, counts),
  ),
  pendingCredited: updatePendingItemsCredited,
  addonsAttached: each(insertAddonSubscription),
  addonsChanged: each(updateAddonAttached),
  addonsCanceled: each(updateAddonCanceled),
  addonsBilled: updateAddonsBilled,
  nextFeesTaken: updateNextFeesTaken,
  nextFeesCredited: each(updateNextFeeCredited),
  usageBilled: (tx, accountId, billed, { usageHeld }) => insertBilledUsage(tx, accountId, billed, usageHeld),
  usageHeld: () => {}, // written with the usage that is billed
  usageRecounted: updateBilledUsage,
  limitedAmounts: upsertLimitedAmounts,
  watermarks: upsertWatermarks,
  watermarksAdvanced: each(updateWatermarks),
  postings: savePostings,
  stepsDone: deleteStepsDone,
  clocksEmptied: each(deleteStepsOfClock),
  steps: saveSteps,
  events: async (tx, accountId, events, saved) => {
    await insertOutboxEvents(tx, accountId, eventsOf(saved, events));
  },
  audit: (tx, accountId, audit, saved) => {
    saveAuditEntries(tx, { accountId, action: 'invoice.created', origin: BY_SYSTEM }, auditedOf(saved, audit));
  },
};

/** The members whose statements check what they find, so that saving waits for their answers. */
const ANSWERED: ReadonlySet<Member> = new Set(['periodsEnded', 'subscriptionsAdded']);

const MEMBERS = Object.keys(WRITES) as Member[];

/**
 * Writes a change set in the caller's transaction, and returns the id of each record that it made. The statements are sent behind each
 * other, and many invoices take as many as one. The first that fails fails the transaction. The caller has locked the records that the
 * change set changes.
 */
export async function saveChanges(tx: Transaction, accountId: string, changes: ChangeSet): Promise<SavedIds> {
  const ids = newIdsOf(changes);
  const saved = withSavedIds(changes, ids);
  const writing = withoutAnswers(tx);
  for (const member of MEMBERS) await saveMember(ANSWERED.has(member) ? tx : writing, accountId, member, saved);
  return ids;
}

async function saveMember<M extends Member>(tx: Transaction, accountId: string, member: M, saved: SavedChanges) {
  const rows = saved[member];
  if (rows && rows.length > 0) await WRITES[member](tx, accountId, rows, saved);
}

/** Returns the writer of many rows by a statement that writes one. */
function each<T>(write: (tx: Transaction, accountId: string, row: T) => Promise<void>) {
  return async (tx: Transaction, accountId: string, rows: readonly T[]) => {
    for (const row of rows) await write(tx, accountId, row);
  };
}

async function dropLeftToInvoice(tx: Transaction, accountId: string, customerId: string): Promise<void> {
  await updateLaterBillsCleared(tx, accountId, customerId);
  await updatePendingInvoicesCleared(tx, accountId, customerId);
  await deleteWaitingSections(tx, accountId, customerId);
}

async function saveInvoices(tx: Transaction, accountId: string, invoices: SavedChanges['invoices']): Promise<void> {
  await insertInvoices(tx, accountId, invoices);
  const counts = invoices.flatMap((one) => one.counts);
  await insertLineCounts(tx, accountId, counts);
}

function savePostings(tx: Transaction, accountId: string, postings: readonly NewPosting[]): Promise<void> {
  const ofAccount = postings.map(({ subject, posting }) => ({ subject: { accountId, ...subject }, posting }));
  return insertLedgerTransactions(tx, accountId, ofAccount);
}

async function deleteStepsDone(tx: Transaction, accountId: string, done: readonly StepDone[]): Promise<void> {
  await deleteSteps(tx, accountId, done.map(subjectOf));
  const pastDue = done.flatMap((step) => (step.kind === 'past_due' ? step.invoiceId : []));
  await deletePastDueWaits(tx, accountId, pastDue);
}

/** Plans steps of test clocks. In real time an invoice waits for the sweep until it is past due, and all else is found without. */
async function saveSteps(tx: Transaction, accountId: string, steps: readonly PlannedStep[]): Promise<void> {
  const waits = steps.flatMap((step) => (step.testClockId === null && step.kind === 'past_due' ? step : []));
  await upsertPastDueWaits(tx, accountId, waits);
  for (const [testClockId, planned] of Map.groupBy(steps, (step) => step.testClockId)) {
    await planSteps(tx, { accountId, testClockId }, planned.map(dueStepOf));
  }
}

const RANKS: Record<PlannedStep['kind'], number> = {
  ...STEP_RANK,
  issue_sections: SECTIONS_RANK,
  past_due: PAST_DUE_RANK,
  collect: COLLECTION_RANK,
};

function dueStepOf(step: PlannedStep): DueStep {
  const { kind, dueAt } = step;
  return { subject: subjectOf(step), kind, dueAt, rank: RANKS[kind] };
}

function subjectOf(step: PlannedStep | StepDone): string {
  if ('subscriptionId' in step) return subscriptionSubject(step.subscriptionId);
  if ('payerId' in step) return sectionsSubject(step.payerId, step.dueAt);
  return step.kind === 'past_due' ? pastDueSubject(step.invoiceId) : collectionSubject(step.invoiceId);
}
