import { describe, expect, test } from 'vitest';
import { boundaryCharges } from '../../../billing/invoices/boundary-charges.ts';
import { type Pause, pausedIntervals, statusAfterPause } from '../../../billing/periods/pauses.ts';
import { periodOf } from '../../../billing/periods/periods.ts';
import type { ChargeTiming } from '../../../billing/subscriptions/subscription.ts';
import { decimal } from '../../../core/decimal.ts';
import { at, boundaryOf, component, plan } from '../fixtures.ts';

const terms = {
  startDate: '2026-03-01',
  billingPeriod: 'monthly',
  usagePeriod: 'billing_period',
  anchorDate: null,
  timeZone: 'UTC',
} as const;
const [march, april] = [periodOf(terms, 0), periodOf(terms, 1)];

function pause(from: string, to: string | null): Pause {
  const on = (text: string) => text.slice(0, 10);
  return { pausedAt: at(from), pausedOn: on(from), resumedAt: to === null ? null : at(to), resumedOn: to && on(to) };
}

test('intervals of usage that is not billed end where the question does', () => {
  const pauses = [pause('2026-03-02T00:00:00Z', '2026-03-05T00:00:00Z'), pause('2026-03-11T00:00:00Z', null)];
  expect(pausedIntervals(pauses, march.endsAt)).toEqual([
    { startsAt: pauses[0]?.pausedAt, endsAt: pauses[0]?.resumedAt },
    { startsAt: pauses[1]?.pausedAt, endsAt: march.endsAt },
  ]);
});

describe('what the boundary of March and April bills', () => {
  const bill = (chargeTiming: ChargeTiming, pauses: Pause[]) => {
    const prepaid = component({ prepaidUnits: decimal(50) });
    const of = plan({ recurringFee: decimal(30), chargeTiming, components: [prepaid] });
    const charges = boundaryCharges({
      ...boundaryOf(of, { ended: march, next: april, pauses }),
      addons: [
        {
          addonSubscriptionId: 'addonsub_1',
          addonId: 'addon_1',
          name: 'Support',
          kind: 'recurring',
          price: decimal(5),
          quantity: 1,
          from: 0,
          to: null,
          billedTo: chargeTiming === 'in_advance' ? 0 : null,
        },
      ],
    });
    return [charges.fees.map(({ billedDays }) => billedDays), charges.prepaid.length, charges.addons.length];
  };
  const from = '2026-03-11T12:00:00Z';

  // [days of the fee], prepaid lines for April, add-on lines.
  test.each([
    ['in_arrears', [], [[30], 1, 1]],
    ['in_arrears', [pause(from, '2026-03-17T00:00:00Z')], [[24], 1, 1]],
    ['in_arrears', [pause(from, '2026-04-10T00:00:00Z')], [[10], 1, 1]],
    ['in_arrears', [pause('2026-03-01T00:00:00Z', '2026-04-30T00:00:00Z')], [[], 0, 0]],
    ['in_advance', [pause(from, '2026-03-17T00:00:00Z')], [[30], 1, 1]],
    ['in_advance', [pause(from, '2026-03-31T00:00:00Z')], [[30], 1, 1]],
    ['in_advance', [pause(from, '2026-04-10T09:00:00Z')], [[20], 1, 1]],
    ['in_advance', [pause(from, '2026-05-01T00:00:00Z')], [[], 0, 0]],
    ['in_advance', [pause(from, null)], [[], 0, 0]],
  ] as [ChargeTiming, Pause[], unknown[]][])('%s %#', (timing, pauses, billed) => {
    expect(bill(timing, pauses)).toEqual(billed);
  });
});

test('a pause is refused unless active, and a resume that is not later', () => {
  expect(statusAfterPause('active', null, 5)).toBe('paused');
  for (const status of ['pending', 'paused', 'canceled', 'expired'] as const) {
    expect(() => statusAfterPause(status, null, 5)).toThrow(status);
  }
  expect(() => statusAfterPause('active', 5, 5)).toThrow('resumes_at');
});
