import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type InvoiceStatus,
  type InvoiceTrigger,
  initialSubscriptionStatus,
  isLive,
  nextInvoiceStatus,
  nextRefundStatus,
  nextSubscriptionStatus,
  type SubscriptionStatus,
  type SubscriptionTrigger,
} from '../../../billing/subscriptions/states.ts';
import { DomainError } from '../../../core/domain-error.ts';

const SUBSCRIPTION_STATUSES = ['pending', 'active', 'paused', 'canceled', 'expired'] as const;
const SUBSCRIPTION_TRIGGERS = ['activate', 'renew', 'expire', 'switch', 'pause', 'resume', 'cancel'] as const;

// spec/subscriptions#states
const LEGAL: Partial<Record<`${SubscriptionStatus} ${SubscriptionTrigger}`, SubscriptionStatus>> = {
  'pending activate': 'active',
  'pending cancel': 'canceled',
  'active renew': 'active',
  'active expire': 'expired',
  'active switch': 'canceled',
  'active pause': 'paused',
  'active cancel': 'canceled',
  'paused resume': 'active',
  'paused cancel': 'canceled',
  'paused renew': 'paused',
  'paused expire': 'expired',
};

describe('nextSubscriptionStatus', () => {
  const pairs = SUBSCRIPTION_STATUSES.flatMap((status) =>
    SUBSCRIPTION_TRIGGERS.map((trigger) => [status, trigger, LEGAL[`${status} ${trigger}`] ?? 'refused'] as const),
  );

  it.each(pairs)('%s, %s: %s', (status, trigger, expected) => {
    if (expected !== 'refused') return expect(nextSubscriptionStatus(status, trigger)).toBe(expected);
    expect(() => nextSubscriptionStatus(status, trigger)).toThrow(DomainError);
  });

  // 409 "names the current state" (spec/api#errors); "Canceled: cannot be reactivated" (interface)
  it('refuses with a conflict that names the state', () => {
    expect(() => nextSubscriptionStatus('canceled', 'resume')).toThrow(
      expect.objectContaining({ code: 'conflict', message: 'The subscription is canceled and cannot be resumed.' }),
    );
  });

  it('knows which are live, and how one begins', () => {
    expect(SUBSCRIPTION_STATUSES.filter(isLive)).toEqual(['pending', 'active', 'paused']);
    expect(initialSubscriptionStatus('2026-11-21', '2026-11-20')).toBe('pending');
    expect(initialSubscriptionStatus('2026-11-20', '2026-11-20')).toBe('active');
    expect(initialSubscriptionStatus('2026-11-19', '2026-11-20')).toBe('active');
  });
});

describe('nextInvoiceStatus', () => {
  // "draft -> open -> paid | void | uncollectible; uncollectible -> paid | void. paid and void are final." (spec/invoices#draft)
  const legal: Partial<Record<`${InvoiceStatus} ${InvoiceTrigger}`, InvoiceStatus>> = {
    'draft issue': 'open',
    'open pay': 'paid',
    'open void': 'void',
    'open mark_uncollectible': 'uncollectible',
    'uncollectible pay': 'paid',
    'uncollectible void': 'void',
  };
  const statuses = ['draft', 'open', 'paid', 'void', 'uncollectible'] as const;
  const triggers = ['issue', 'pay', 'void', 'mark_uncollectible'] as const;
  const pairs = statuses.flatMap((status) =>
    triggers.map((trigger) => [status, trigger, legal[`${status} ${trigger}`] ?? 'refused'] as const),
  );

  it.each(pairs)('%s, %s: %s', (status, trigger, expected) => {
    if (expected !== 'refused') return expect(nextInvoiceStatus(status, trigger)).toBe(expected);
    expect(() => nextInvoiceStatus(status, trigger)).toThrow(`The invoice is ${status}`);
  });
});

describe('nextRefundStatus', () => {
  // "status (pending|succeeded|failed|canceled)" (spec/credits#refunds): one that is not pending is final, but a processor's
  const legal: Record<string, string> = {
    'pending complete': 'succeeded',
    'pending fail': 'failed',
    'pending cancel': 'canceled',
    // The customer's bank sent it back (spec/payments#processors).
    'succeeded fail': 'failed',
  };
  const statuses = ['pending', 'succeeded', 'failed', 'canceled'] as const;
  const triggers = ['complete', 'fail', 'cancel'] as const;
  const pairs = statuses.flatMap((status) =>
    triggers.map((trigger) => [status, trigger, legal[`${status} ${trigger}`] ?? 'refused'] as const),
  );

  it.each(pairs)('%s, %s: %s', (status, trigger, expected) => {
    if (expected !== 'refused') return expect(nextRefundStatus(status, trigger)).toBe(expected);
    expect(() => nextRefundStatus(status, trigger)).toThrow(`The refund is ${status}`);
  });
});

const root = join(import.meta.dirname, '../../..');

it('states.ts and what it imports can be loaded by the workflow sandbox', () => {
  const reached: string[] = [];
  const visit = (path: string) => {
    if (reached.includes(path)) return;
    reached.push(path);
    const source = readFileSync(join(root, path), 'utf8');
    for (const [, target = ''] of source.matchAll(/^import (?!type )[^;]*? from '([^']+)'/gm)) {
      visit(target.startsWith('.') ? join(dirname(path), target) : target);
    }
  };
  visit('billing/subscriptions/states.ts');
  expect(reached).toEqual(['billing/subscriptions/states.ts', 'core/domain-error.ts']);
});
