import { expect, test } from 'vitest';
import type { MetricRule, UsageEvent } from '../../../billing/catalog/metrics.ts';
import { refusedBy } from '../../../billing/metering/aggregate.ts';
import { type BilledIn, type EventFate, reasonNotBilled } from '../../../billing/metering/event-fate.ts';
import { decimal } from '../../../core/decimal.ts';

const RULE: MetricRule = {
  ...{ aggregationType: 'count', eventName: 'call', propertyName: null },
  numericFilters: [
    { propertyName: 'bytes', operator: 'gte', comparisonValue: decimal(10) },
    { propertyName: 'bytes', operator: 'lt', comparisonValue: decimal(20) },
  ],
  categoricalFilters: [
    { propertyName: 'region', operator: 'isin', comparisonValue: ['eu'] },
    { propertyName: 'plan', operator: 'isnotin', comparisonValue: ['free'] },
  ],
  timeFilter: { hours: { from: 8, to: 18 } },
};

function event(fields: { name?: string; hour?: number; bytes?: number; region?: string; plan?: string }): UsageEvent {
  const { name = 'call', hour = 9, bytes = 10, region = 'eu', plan = 'pro' } = fields;
  return {
    ...{ eventName: name, customerId: 'acme', timeCreated: Date.UTC(2026, 10, 20, hour) },
    properties: {
      bytes: { kind: 'number', value: decimal(bytes) },
      region: { kind: 'string', value: region },
      plan: { kind: 'string', value: plan },
    },
  };
}

test.each([
  [{}, 'UTC', null],
  [{ name: 'other', bytes: 0 }, 'UTC', 'event_name'],
  [{ bytes: 9, region: 'us' }, 'UTC', 'numeric_filters.0'],
  [{ bytes: 20 }, 'UTC', 'numeric_filters.1'],
  [{ region: 'us', hour: 3 }, 'UTC', 'categorical_filters.0'],
  [{ plan: 'free' }, 'UTC', 'categorical_filters.1'],
  [{ hour: 18 }, 'UTC', 'time_filter'],
  [{ hour: 17 }, 'Europe/Berlin', 'time_filter'],
])('%j in %s is refused by %s', (fields, zone, field) => {
  expect(refusedBy(RULE, event(fields), zone)).toBe(field);
});

function line(status: BilledIn['status']): BilledIn {
  const ids = { invoiceId: 'inv', invoiceNumber: 'INV-000001', lineId: 'line', metricId: 'm', subscriptionId: 'sub' };
  return { ...ids, status, type: 'usage', amount: decimal(0), group: null, priceId: null };
}

const RAN = { isBilled: true, isPaused: false, isAhead: false, unpriced: null };

test.each<[string, Partial<EventFate>, ReturnType<typeof reasonNotBilled>]>([
  ['billed', { billedIn: [line('void'), line('paid')] }, null],
  ['in a draft', { billedIn: [line('draft')] }, null],
  ['only in void invoices', { billedIn: [line('void')] }, 'voided'],
  ['of no metric of its name', { because: ['event_name', 'event_name'] }, 'no_metric'],
  ['of an account without metrics', { because: [] }, 'no_metric'],
  ['refused by a filter', { because: ['event_name', 'time_filter'] }, 'filtered'],
  ['when nothing ran', { ran: [] }, 'no_subscription'],
  ['of a metric that no plan bills', { ran: [{ ...RAN, isBilled: false }] }, 'not_in_plan'],
  ['in a pause', { ran: [{ ...RAN, isPaused: true }] }, 'paused'],
  ['in a pause of one of two', { ran: [{ ...RAN, isPaused: true }, RAN], lateUsage: 'ignore' }, 'late_ignored'],
  ['that no row prices', { ran: [{ ...RAN, unpriced: 'hold' }], lateUsage: 'ignore' }, 'held'],
  ['that no row prices and is not billed', { ran: [{ ...RAN, unpriced: 'ignore' }] }, 'ignored'],
  [
    'held by one of two',
    {
      ran: [
        { ...RAN, unpriced: 'ignore' },
        { ...RAN, unpriced: 'hold' },
      ],
    },
    'held',
  ],
  ['that no row prices, of another that is late', { ran: [{ ...RAN, unpriced: 'hold' }, RAN] }, null],
  ['late, where that is ignored', { lateUsage: 'ignore' }, 'late_ignored'],
  ['of a period to come', { ran: [{ ...RAN, isAhead: true }], lateUsage: 'ignore' }, null],
  ['still to be billed', {}, null],
])('an event %s', (_, known, reason) => {
  const fate: EventFate = { because: ['event_name', null], billedIn: [], ran: [RAN], lateUsage: 'next_invoice' };
  expect(reasonNotBilled({ ...fate, ...known })).toBe(reason);
});
