import { ZERO } from '../../core/decimal.ts';
import type { SegmentedPeriod } from '../periods/segments.ts';
import { type BoundaryInput, boundaryCharges } from './boundary-charges.ts';
import { computeInvoice } from './compute-invoice.ts';

/** A subscription at its very start, with its first period. */
export type OpeningInput = Omit<BoundaryInput, 'ended' | 'next' | 'windows'> & { first: SegmentedPeriod };

/**
 * The part of an opening invoice: what is due at the very start, in_advance the fee and recurring add-ons, and prepaid
 * units under either timing (spec/prepaid-units#changes). Null where nothing above 0 of these is due; a one_time add-on alone waits for
 * the first boundary.
 */
export function openingPart(input: OpeningInput, { currency }: { currency: string }) {
  const charges = boundaryCharges({ ...input, ended: null, next: input.first, windows: [] });
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
