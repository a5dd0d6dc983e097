import type { Decimal } from '../../core/decimal.ts';
import { type Instant, type LocalDate, startOfLocalDay } from '../../core/instants.ts';
import type { InvoiceStatus } from '../subscriptions/states.ts';

/** spec/payments#collection. `failed` and `succeeded` are final; of an attempt in any other state money may come, or be on its way. */
export type AttemptStatus = 'created' | 'processing' | 'requires_action' | 'succeeded' | 'failed' | 'unknown';

/** A try to collect what is due of an invoice through a processor; `amount` in major units of `currency` (upper case). */
export type PaymentAttempt = {
  attemptId: string;
  invoiceId: string;
  provider: string;
  /** The customer's id at the processor, and the payment method that is charged. */
  payer: string;
  paymentMethod: string;
  amount: Decimal;
  currency: string;
  /** `due`: by the due date or a retry; `call`: by POST /api/invoices/{id}/pay. */
  origin: 'due' | 'call';
  /** The call that asked for it. */
  operationId: string | null;
  status: AttemptStatus;
  /** The processor's id of the charge, once it has told it. */
  reference: string | null;
  failureCode: string | null;
  failureMessage: string | null;
  /** The customer's time. */
  createdAt: Instant;
  settledAt: Instant | null;
};

/**
 * What comes next for an invoice that is collected by the passing of time: `charge` it, `settle` an attempt whose answer
 * was lost, `recall` one whose payer did not act, or `give_up`, where there are fewer retries now than have failed.
 */
export type CollectionStep = { kind: 'charge' | 'settle' | 'recall' | 'give_up'; dueAt: Instant };

/** How long a payer has to prove who it is (3-D Secure) until the attempt is taken back and counts as failed. */
const ACTION_LIMIT_MS = 24 * 3_600_000;
const DAY_MS = 24 * 3_600_000;

export function isLiveAttempt({ status }: Pick<PaymentAttempt, 'status'>): boolean {
  return status !== 'succeeded' && status !== 'failed';
}

/** When an invoice is collected: the start of its due date in the customer's zone, and not before it was made. */
export function collectionDueAt(invoice: { createdAt: Instant; dueDate: LocalDate }, timeZone: string): Instant {
  return Math.max(invoice.createdAt, startOfLocalDay(invoice.dueDate, timeZone));
}

type AttemptOf = Pick<PaymentAttempt, 'status' | 'origin' | 'createdAt'>;

/** An invoice to collect, with its attempts, oldest first, and the account's payment_retry_days. */
export type CollectionPosition = {
  status: InvoiceStatus;
  dueAt: Instant;
  attempts: readonly AttemptOf[];
  retryDays: readonly number[];
};

/**
 * The step an invoice waits for, or null where there is none: it is no longer open, or the processor has the word
 * (`processing`). The account's retries may change at any time: those of now count. One that comes late does not bring the
 * next closer to it (spec/payments#retries).
 */
export function nextCollectionStep({ status, dueAt, attempts, retryDays }: CollectionPosition): CollectionStep | null {
  const live = attempts.find(isLiveAttempt);
  if (live?.status === 'processing') return null;
  if (live?.status === 'requires_action') return { kind: 'recall', dueAt: live.createdAt + ACTION_LIMIT_MS };
  if (live) return { kind: 'settle', dueAt: live.createdAt };
  if (status !== 'open') return null;
  const failures = failuresOf(attempts);
  const [first, last] = [failures[0], failures.at(-1)];
  if (!first || !last) return { kind: 'charge', dueAt };
  const days = retryDays[failures.length - 1];
  if (days === undefined) return { kind: 'give_up', dueAt: last.createdAt };
  const gap = days - (retryDays[failures.length - 2] ?? 0);
  return { kind: 'charge', dueAt: Math.max(first.createdAt + days * DAY_MS, last.createdAt + gap * DAY_MS) };
}

/** Whether the charge on the due date and every retry has failed: the invoice is then uncollectible (spec/payments#retries). */
export function isGivenUp(attempts: readonly AttemptOf[], retryDays: readonly number[]): boolean {
  return failuresOf(attempts).length > retryDays.length;
}

/** What a call of /pay tried does not use up a retry. */
function failuresOf(attempts: readonly AttemptOf[]): readonly AttemptOf[] {
  return attempts.filter(({ status, origin }) => status === 'failed' && origin === 'due');
}
