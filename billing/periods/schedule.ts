import type { Instant } from '../../core/instants.ts';
import type { SubscriptionStatus } from '../subscriptions/states.ts';

/** What the records say about where a subscription is in its life. */
export type LifePosition = {
  status: SubscriptionStatus;
  /** The period that is not closed yet, and where its billing period ends; null once the last one is. */
  openPeriod: {
    index: number;
    startsAt: Instant;
    endsAt: Instant;
    billing: { endsAt: Instant };
    trial?: { noticeAt: Instant | null };
  } | null;
  /** The first of the ended periods whose invoice waits for the grace (spec/invoices#grace). */
  pendingInvoice: { periodIndex: number; dueAt: Instant } | null;
  plannedCancel: { at: Instant } | null;
  plannedSwitch: { at: Instant } | null;
  /** When a pause ends by itself. */
  resumesAt: Instant | null;
  /** When what an immediate cancel left waiting is invoiced. */
  billsAt: Instant | null;
};

/** The next thing that happens to a subscription by the passing of time alone; `periodIndex` null after its last period. */
export type Boundary = {
  kind:
    | 'activate'
    | 'close_period'
    | 'invoice_period'
    | 'cancel'
    | 'switch'
    | 'resume'
    | 'trial_will_end'
    | 'bill_waiting';
  dueAt: Instant;
  periodIndex: number | null;
  /** What is planned for the end of the period that closes, and happens with its closing. */
  with?: 'cancel' | 'switch';
};

/** Where a subscription is in its life and what comes next: all that its workflow has to know. */
export type SubscriptionSchedule = {
  status: SubscriptionStatus;
  customerId: string;
  planId: string;
  /** What people call it, by the names of customer and plan; missing in workflows that an older release has started. */
  name?: string;
  /** End of the period that is not closed yet; null once the last one is. */
  periodEnd: Instant | null;
  /** The frozen time of the customer's test clock; null for one who lives in real time. */
  clockTime: Instant | null;
  next: Boundary | null;
};

/**
 * Order of steps that fall due at the same instant (spec/periods#order-at-one-instant): first what ends, then what begins; what waits for another
 * invoice comes after every invoice of that instant.
 */
export const STEP_RANK: Record<Boundary['kind'], number> = {
  close_period: 10,
  invoice_period: 10,
  cancel: 20,
  switch: 25,
  resume: 30,
  trial_will_end: 40,
  activate: 50,
  bill_waiting: 60,
};

/** The invoice of an instant's sections comes after all that makes one. */
export const SECTIONS_RANK = 70;

/** An invoice is collected after every boundary of its instant. */
export const COLLECTION_RANK = 80;

/** An invoice becomes past due after all that may pay it at that instant. */
export const PAST_DUE_RANK = 90;

/** The boundary a subscription waits for, or null where nothing is left to come (spec/subscriptions#states). */
export function nextBoundary(position: LifePosition): Boundary | null {
  const { openPeriod, pendingInvoice, billsAt } = position;
  const steps = openPeriod === null ? [] : stepsWithin(openPeriod, position);
  if (pendingInvoice !== null) steps.push({ kind: 'invoice_period', ...pendingInvoice });
  if (openPeriod === null && billsAt !== null) steps.push({ kind: 'bill_waiting', dueAt: billsAt, periodIndex: null });
  return steps.toSorted(compare)[0] ?? null;
}

/** What may happen in the open period, and its end. */
function stepsWithin(
  { index: periodIndex, startsAt, endsAt, billing, trial }: NonNullable<LifePosition['openPeriod']>,
  { status, plannedCancel, plannedSwitch, resumesAt }: LifePosition,
): Boundary[] {
  const cancelAt = plannedCancel?.at ?? null;
  const switchAt = plannedSwitch?.at ?? null;
  if (status === 'pending') {
    const isNever = cancelAt !== null && cancelAt <= startsAt;
    return [{ kind: isNever ? 'cancel' : 'activate', dueAt: isNever ? cancelAt : startsAt, periodIndex }];
  }
  if (status !== 'active' && status !== 'paused') return [];
  const closing = { kind: 'close_period', dueAt: endsAt, periodIndex } as const;
  // What falls on the period's end is part of its closing; a cancel comes before a switch, which within a billing period comes
  // once its next usage month has begun.
  const isSwitch = status === 'active' && switchAt === endsAt && endsAt === billing.endsAt;
  const planned = cancelAt === endsAt ? 'cancel' : isSwitch ? 'switch' : null;
  const steps: Boundary[] = [planned === null ? closing : { ...closing, with: planned }];
  if (cancelAt !== null && cancelAt < endsAt) steps.push({ kind: 'cancel', dueAt: cancelAt, periodIndex });
  // A switch that falls due in a pause waits for the resume.
  if (status === 'active' && switchAt !== null && switchAt < endsAt) {
    steps.push({ kind: 'switch', dueAt: switchAt, periodIndex });
  }
  const noticeAt = trial?.noticeAt ?? null;
  if (noticeAt !== null) steps.push({ kind: 'trial_will_end', dueAt: noticeAt, periodIndex });
  if (status === 'paused' && resumesAt !== null) steps.push({ kind: 'resume', dueAt: resumesAt, periodIndex });
  return steps;
}

function compare(a: Boundary, b: Boundary): number {
  return a.dueAt - b.dueAt || STEP_RANK[a.kind] - STEP_RANK[b.kind];
}

/** A subscription's next boundary. */
export type NextStep = Boundary & { subscriptionId: string };

/** The order in which a customer's steps are done: by instant, then rank, then subscription (spec/periods#order-at-one-instant). */
export function inOrderOfDue(a: NextStep, b: NextStep): number {
  return compare(a, b) || (a.subscriptionId < b.subscriptionId ? -1 : 1);
}
