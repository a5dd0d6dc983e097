import { describe, expect, it } from 'vitest';
import {
  type CollectionStep,
  collectionDueAt,
  isGivenUp,
  nextCollectionStep,
  type PaymentAttempt,
} from '../../../billing/payments/collection.ts';
import { decimal } from '../../../core/decimal.ts';
import { stripeAmount } from '../../../outbound/processors/stripe-money.ts';

const DAY_MS = 86_400_000;
const DUE = Date.UTC(2026, 2, 10);
type Attempt = Pick<PaymentAttempt, 'status' | 'origin' | 'createdAt'>;

const attempt = (status: PaymentAttempt['status'], days = 0, origin: PaymentAttempt['origin'] = 'due'): Attempt => ({
  status,
  origin,
  createdAt: DUE + days * DAY_MS,
});
const failed = (days: number, origin: PaymentAttempt['origin'] = 'due') => attempt('failed', days, origin);

describe('nextCollectionStep', () => {
  // spec/payments#collection: "On its due date ... charged, once", "retried after payment_retry_days, then uncollectible"
  const cases: [string, Attempt[], CollectionStep['kind'] | null, number][] = [
    ['on the due date', [], 'charge', 0],
    ['a first retry', [failed(0)], 'charge', 1],
    ['a second one, counted from the first failure', [failed(0), failed(1)], 'charge', 3],
    ['a second one keeps its distance from a first that came late', [failed(0), failed(3.5)], 'charge', 5.5],
    ['a first one that came early is not followed early', [failed(0), failed(0.5)], 'charge', 3],
    ['a call does not use up a retry', [failed(0), failed(2, 'call')], 'charge', 1],
    ['a call before the due date', [failed(-1, 'call')], 'charge', 0],
    ['after the last one', [failed(0), failed(1), failed(3)], 'give_up', 3],
    ['after more than the account retries now', [failed(0), failed(1), failed(3), failed(5)], 'give_up', 5],
    ['a lost answer', [failed(0), attempt('unknown', 1)], 'settle', 1],
    ['a worker that died', [attempt('created')], 'settle', 0],
    ['a payer who has to act', [attempt('requires_action')], 'recall', 1],
    ['the processor has the word', [attempt('processing')], null, 0],
  ];
  it.each(cases)('%s', (_, attempts, kind, days) => {
    const step = nextCollectionStep({ status: 'open', dueAt: DUE, attempts, retryDays: [1, 3] });
    expect(step).toEqual(kind === null ? null : { kind, dueAt: DUE + days * DAY_MS });
  });

  it.each(['paid', 'void', 'uncollectible'] as const)('nothing is charged of an invoice that is %s', (status) => {
    expect(nextCollectionStep({ status, dueAt: DUE, attempts: [], retryDays: [] })).toBeNull();
    const attempts = [attempt('unknown')];
    expect(nextCollectionStep({ status, dueAt: DUE, attempts, retryDays: [] })?.kind).toBe('settle');
  });

  it('is given up after the charge of the due date and every retry', () => {
    expect(isGivenUp([failed(0)], [])).toBe(true);
    expect(isGivenUp([failed(0), failed(1)], [1, 3])).toBe(false);
    expect(isGivenUp([failed(0), failed(1), failed(3)], [1, 3])).toBe(true);
    expect(isGivenUp([failed(0, 'call'), failed(1, 'call')], [])).toBe(false);
  });
});

it('an invoice is due at the start of its due date in the zone, and not before it was made', () => {
  const createdAt = Date.UTC(2026, 2, 9, 15);
  expect(collectionDueAt({ createdAt, dueDate: '2026-03-09' }, 'UTC')).toBe(createdAt);
  expect(collectionDueAt({ createdAt, dueDate: '2026-03-11' }, 'Asia/Tokyo')).toBe(Date.UTC(2026, 2, 10, 15));
});

// Stripe's documentation on currencies: zero-decimal ones as they are, ISK and UGX still in hundredths.
it.each([
  ['10.50', 'USD', 1050],
  ['500', 'JPY', 500],
  ['5.120', 'KWD', 5120],
  ['40', 'ISK', 4000],
  ['5', 'UGX', 500],
])('D11: %s %s is %i at Stripe', (amount, currency, expected) => {
  expect(stripeAmount(decimal(amount), currency)).toBe(expected);
  expect(() => stripeAmount(decimal('0.00001'), currency)).toThrow('no exact amount');
});
