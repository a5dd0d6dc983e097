import { ZERO } from '../../core/decimal.ts';
import type { Period } from '../periods/periods.ts';
import { type BoundaryInput, boundaryCharges, type MetricUsage } from './boundary-charges.ts';
import { computeInvoice } from './compute-invoice.ts';

/** A subscription at its very start: its first period, and the metrics its plan bills. */
export type OpeningInput = Omit<BoundaryInput, 'ended' | 'next' | 'metrics'> & {
  first: Period;
  metrics: readonly Pick<MetricUsage, 'metricId' | 'metricName'>[];
};

/**
 * The part of an opening invoice: what is due at the very start, in_advance the fee and recurring add-ons, and prepaid
 * units under either timing (spec/prepaid-units#changes). Null where nothing above 0 of these is due; a one_time add-on alone waits for
 * the first boundary.
 */
export function openingPart(input: OpeningInput, { currency }: { currency: string }) {
  const metrics = input.metrics.map((metric) => ({ ...metric, value: ZERO, eventsCount: ZERO }));
  const charges = boundaryCharges({ ...input, ended: null, next: input.first, metrics });
  const part = {
    ...charges,
    kind: 'opening' as const,
    periodStart: input.first.startsAt,
    periodEnd: input.first.endsAt,
    pending: [],
  };
  const recurring = charges.addons.filter(({ kind }) => kind !== 'one_time');
  const untaxed = { currency, taxRate: ZERO, credits: [], today: input.first.startDate };
  return computeInvoice({ ...part, ...untaxed, addons: recurring }).subtotal.gt(0) ? part : null;
}
