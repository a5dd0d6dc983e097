import { activityInfo, cancellationSignal } from '@temporalio/activity';
import type { SubscriptionSchedule } from '../../billing/periods/schedule.ts';
import type { Instant } from '../../core/instants.ts';
import type { FairTurns } from '../../runtime/fair-turns.ts';
import { type ChainsChecked, checkChains } from '../../services/chain/check-chains.ts';
import { sendRefund } from '../../services/credits/send-refund.ts';
import { billPendingItems } from '../../services/invoices/bill-pending-items.ts';
import { checkParity, type ParityResult } from '../../services/invoices/check-parity.ts';
import { closeLandedPeriod, closePeriod } from '../../services/invoices/close-period.ts';
import {
  type CollectionSchedule,
  collectDue,
  loadCollectionSchedule,
  type PayCall,
  payNow,
} from '../../services/payments/collect-invoice.ts';
import type { ToldByProcessor } from '../../services/payments/follow-processor.ts';
import { followProcessor } from '../../services/payments/follow-processor.ts';
import type {
  CustomerRef,
  InvoiceRef,
  PeriodRef,
  RefundRef,
  SubscriptionRef,
  TestClockRef,
} from '../../services/references.ts';
import { activateSubscription } from '../../services/subscriptions/activate.ts';
import { announceTrialEnd } from '../../services/subscriptions/announce-trial-end.ts';
import type { CancelCall } from '../../services/subscriptions/cancel.ts';
import { cancelAsPlanned, cancelSubscription } from '../../services/subscriptions/cancel.ts';
import type { PrepaidCall } from '../../services/subscriptions/change-prepaid-units.ts';
import { changePrepaidUnits } from '../../services/subscriptions/change-prepaid-units.ts';
import { doEarlierSteps, findTurn } from '../../services/subscriptions/earlier-steps.ts';
import { loadSubscriptionSchedule } from '../../services/subscriptions/load-schedule.ts';
import type { PauseCall } from '../../services/subscriptions/pause.ts';
import { pauseSubscription } from '../../services/subscriptions/pause.ts';
import type { ResumeCall } from '../../services/subscriptions/resume.ts';
import { resumeAsPlanned, resumeSubscription } from '../../services/subscriptions/resume.ts';
import type { SwitchCall } from '../../services/subscriptions/switch-plan.ts';
import { switchAsPlanned, switchPlan } from '../../services/subscriptions/switch-plan.ts';
import { eraseUsage } from '../../services/usage/erase-usage.ts';
import { waitForAcceptedUsage } from '../../services/usage/wait-for-landing.ts';
import type { DeliveryDependencies } from '../../services/webhooks/deliver-webhook.ts';
import { retriesOf } from '../../services/webhooks/retry-delivery.ts';
import type { DeliveryRound } from '../../sql/postgres/webhooks/webhook-sending.ts';
import { ClosingsAtOnce, type CustomerPeriod } from './closings-at-once.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { createReconcile } from './reconcile.ts';
import { failClock, runInTurn } from './run-due-steps.ts';

/**
 * What workflows can have done. Each is idempotent by its business key (a period, a step, a clock): a second run, after
 * whatever crash, finds what the first did.
 */
export type Activities = {
  loadSubscriptionCourse(ref: SubscriptionRef): Promise<SubscriptionSchedule>;
  /** Pending becomes active; returns what comes next. */
  activateSubscription(ref: PeriodRef): Promise<SubscriptionSchedule>;
  /**
   * Ends a period that is over, and opens the next one or ends the subscription; makes its invoice once the grace is over, from the
   * usage up to a cutoff that is fixed then; returns what comes next.
   */
  closePeriod(ref: PeriodRef): Promise<SubscriptionSchedule>;
  /**
   * As `closePeriod`, but null where that would have to wait, for usage, for its turn or for an earlier step of the customer: a local
   * activity must not take long.
   */
  closeLandedPeriod(ref: CustomerPeriod): Promise<SubscriptionSchedule | null>;
  cancelAsPlanned(ref: PeriodRef): Promise<SubscriptionSchedule>;
  switchAsPlanned(ref: PeriodRef): Promise<SubscriptionSchedule>;
  resumeAsPlanned(ref: PeriodRef): Promise<SubscriptionSchedule>;
  /** Tells that the trial will end. */
  announceTrialEnd(ref: PeriodRef): Promise<SubscriptionSchedule>;
  /** Invoices what an immediate cancel left, where no other invoice is to come. */
  billWaitingLines(ref: PeriodRef): Promise<SubscriptionSchedule>;
  /** What calls ask; each is done once by its operation id. */
  cancelSubscription(call: SubscriptionRef & CancelCall): Promise<SubscriptionSchedule>;
  pauseSubscription(call: SubscriptionRef & PauseCall): Promise<SubscriptionSchedule>;
  resumeSubscription(call: SubscriptionRef & ResumeCall): Promise<SubscriptionSchedule>;
  switchPlan(call: SubscriptionRef & SwitchCall): Promise<SubscriptionSchedule>;
  changePrepaidUnits(call: SubscriptionRef & PrepaidCall): Promise<SubscriptionSchedule>;
  /** Does what is due on a clock, in order; `more` where a batch ended before the clock has arrived. */
  runDueSteps(ref: TestClockRef): Promise<'arrived' | 'more'>;
  failClock(ref: TestClockRef): Promise<void>;
  /** Erases what ClickHouse holds of a deleted customer; returns how many events there were. */
  eraseUsage(ref: CustomerRef): Promise<number>;
  /** Returns when everything accepted by now has landed. */
  waitForAcceptedUsage(): Promise<void>;
  loadCollectionCourse(ref: InvoiceRef): Promise<CollectionSchedule>;
  /** Charges an invoice that is due, or finds out what became of its attempt; returns what comes next. */
  collectDue(ref: InvoiceRef): Promise<CollectionSchedule>;
  /** Charges an invoice now, as a call asks; once by its operation id. */
  payNow(call: InvoiceRef & PayCall): Promise<CollectionSchedule>;
  /** Sends a refund through its processor, or asks how it stands. */
  sendRefund(ref: RefundRef): Promise<'pending' | 'settled'>;
  /** Saves how that stands which a processor told of. */
  followProcessor(told: ToldByProcessor): Promise<void>;
  reconcile(): Promise<{ subscriptions: number; clocks: number }>;
  /** Computes issued invoices again; its differences are kept. */
  checkParity(): Promise<ParityResult>;
  /** Computes all chains again; what is bent is kept. */
  verifyChain(): Promise<ChainsChecked>;
};

/** The activities of a worker. */
export function createActivities(dependencies: ActivityDependencies): Activities {
  const { shares, closingsAtOnce } = dependencies;
  const atOnce = new ClosingsAtOnce(dependencies.clock, { atOnce: closingsAtOnce, turns: shares.closings });
  const tell: ClosingsAtOnce['keep'] = (accountId, schedules) => atOnce.keep(accountId, schedules);
  const reconcile = createReconcile(dependencies);
  /** Does a step in its turn among those of its customer; whoever waits for one that is under way finds its own done. */
  const inOrder = async (ref: PeriodRef, perform: (cancelled: AbortSignal) => Promise<SubscriptionSchedule>) => {
    const cancelled = cancellationSignal();
    const { customerId, earlier } = await findTurn(dependencies, ref);
    return shares.steps({ accountId: ref.accountId, customerId }, cancelled, async () => {
      if (earlier !== null) await doEarlierSteps(dependencies, ref, cancelled);
      return perform(cancelled);
    });
  };
  return {
    loadSubscriptionCourse: (ref) => loadSubscriptionSchedule(dependencies, ref),
    activateSubscription: (ref) => inOrder(ref, () => activateSubscription(dependencies, ref)),
    closePeriod: (ref) =>
      inOrder(ref, (cancelled) => closePeriod(dependencies, ref, cancelled, tell).finally(() => atOnce.forget(ref))),
    // Where steps that come in turn wait already, for usage, this one would, too.
    closeLandedPeriod: async (ref) =>
      shares.steps.ofAccounts.isFull() ? null : atOnce.close(ref, () => closeLandedPeriod(dependencies, ref, tell)),
    cancelAsPlanned: (ref) => inOrder(ref, (cancelled) => cancelAsPlanned(dependencies, ref, cancelled)),
    switchAsPlanned: (ref) => inOrder(ref, (cancelled) => switchAsPlanned(dependencies, ref, cancelled)),
    resumeAsPlanned: (ref) => inOrder(ref, (cancelled) => resumeAsPlanned(dependencies, ref, cancelled)),
    announceTrialEnd: (ref) => inOrder(ref, () => announceTrialEnd(dependencies, ref)),
    billWaitingLines: (ref) => inOrder(ref, () => billPendingItems(dependencies, ref)),
    cancelSubscription: (call) => cancelSubscription(dependencies, call, cancellationSignal()),
    pauseSubscription: (call) => pauseSubscription(dependencies, call),
    resumeSubscription: (call) => resumeSubscription(dependencies, call, cancellationSignal()),
    switchPlan: (call) => switchPlan(dependencies, call, cancellationSignal()),
    changePrepaidUnits: (call) => changePrepaidUnits(dependencies, call, cancellationSignal()),
    runDueSteps: (ref) =>
      runInTurn(dependencies, ref, { cancelled: cancellationSignal(), isRepeat: activityInfo().attempt > 1 }),
    failClock: (ref) => failClock(dependencies, ref),
    eraseUsage: (ref) => eraseUsage(dependencies, ref),
    waitForAcceptedUsage: () => waitForAcceptedUsage(dependencies, cancellationSignal()),
    loadCollectionCourse: (ref) => loadCollectionSchedule(dependencies, ref),
    collectDue: (ref) => collectDue(dependencies, ref),
    payNow: (call) => payNow(dependencies, call),
    sendRefund: (ref) => sendRefund(dependencies, ref),
    followProcessor: (told) => followProcessor(dependencies, told),
    reconcile: () => reconcile(cancellationSignal()),
    checkParity: () => checkParity(dependencies, cancellationSignal()),
    verifyChain: () => checkChains(dependencies, cancellationSignal()),
  };
}

/** What runs in slots of its own. */
export type WebhookActivities = {
  /** Makes a delivery's next attempt where it is due; returns when the one after is, null where the delivery is over. */
  retryDelivery(round: DeliveryRound): Promise<Instant | null>;
};

/** The activities of the webhooks' worker. */
export function createWebhookActivities(dependencies: DeliveryDependencies, ofAccounts: FairTurns): WebhookActivities {
  const retryDelivery = retriesOf(dependencies, ofAccounts);
  return { retryDelivery: (round) => retryDelivery(round, cancellationSignal()) };
}
