import { expect, test } from 'vitest';
import type { ChangeSet } from '../../../billing/change-set.ts';
import type { PlannedRefund, Refund } from '../../../billing/credits/refunds.ts';
import { decideRefund, decideRefundChange } from '../../../billing/decide/refunds.ts';
import { decimal } from '../../../core/decimal.ts';
import { at } from '../fixtures.ts';

const NOW = at('2026-12-05T10:00:00Z');
const REFUNDED = {
  refundId: 'refund_1',
  timeZone: 'UTC',
  invoice: { invoiceId: 'inv_1', invoiceNumber: 'INV-000001' },
};
const PLANNED: PlannedRefund = {
  ...{ invoiceId: 'inv_1', customerId: 'acme', amount: decimal(30), currency: 'USD', method: 'bank_transfer' },
  ...{ reason: null, description: null, isProration: false, status: 'pending', processorRefundId: null },
  ...{ expectedBy: '2026-12-10', createdAt: NOW, completedAt: null },
};
const PENDING: Refund = { ...PLANNED, refundId: 'refund_1', creditId: null };

function kindsOf({ postings = [] }: ChangeSet) {
  return postings.map(({ posting: { kind }, subject: { refundId, creditId } }) => [kind, refundId, creditId]);
}

test('a refund by store credit makes a credit, and has succeeded at once', () => {
  const planned = { ...PLANNED, method: 'store_credit', status: 'succeeded', completedAt: NOW } as const;
  const { refund, changes } = decideRefund(REFUNDED, planned);
  expect(refund.creditId).toBe('new:1');
  expect(changes.refunds).toEqual([refund]);
  expect(changes.credits).toMatchObject([{ creditId: 'new:1', description: 'Refund of invoice INV-000001' }]);
  expect(kindsOf(changes)).toEqual([['refund_credited', 'refund_1', 'new:1']]);
  expect(changes.events?.map(({ type }) => type)).toEqual(['credit.created', 'refund.created', 'refund.succeeded']);
});

test('a refund that is paid later makes no credit and posts nothing yet', () => {
  const { refund, changes } = decideRefund(REFUNDED, PLANNED);
  expect(refund).toEqual(PENDING);
  expect(changes).toEqual({ refunds: [refund], events: [{ type: 'refund.created', refundId: 'refund_1' }] });
});

test('a pending refund posts its payment and is published once it has succeeded', () => {
  const succeeded: Refund = { ...PENDING, status: 'succeeded', completedAt: NOW };
  const changes = decideRefundChange(PENDING, succeeded, NOW);
  expect(changes.refundsChanged).toEqual([succeeded]);
  expect(kindsOf(changes)).toEqual([['refund_paid', 'refund_1', undefined]]);
  expect(changes.events).toEqual([{ type: 'refund.succeeded', refundId: 'refund_1' }]);
});

test('a refund that fails after it was paid takes its posting back', () => {
  const succeeded: Refund = { ...PENDING, status: 'succeeded', completedAt: NOW };
  expect(kindsOf(decideRefundChange(succeeded, { ...succeeded, status: 'failed' }, NOW))).toEqual([
    ['refund_failed', 'refund_1', undefined],
  ]);
});

test.each(['failed', 'canceled', 'pending'] as const)('a pending refund that is %s posts nothing', (status) => {
  const after = { ...PENDING, status };
  expect(decideRefundChange(PENDING, after, NOW)).toEqual({ refundsChanged: [after] });
});
