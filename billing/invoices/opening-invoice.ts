import { ZERO } from '../../core/decimal.ts';
import type { Period } from '../periods/periods.ts';
import type { SegmentedPeriod } from '../periods/segments.ts';
import type { BoundaryInput } from './boundary-charges.ts';
import { computeInvoice } from './compute-invoice.ts';
import { limitedCharges } from './true-ups.ts';

/** A subscription at its very start, with its first period. */
export type OpeningInput = Omit<BoundaryInput, 'ended' | 'next' | 'windows'> & { first: SegmentedPeriod };

/** Whether it ends a trial whose usage is free: then its invoice opens what begins, where anything is due (spec/subscriptions#trials). */
export function endsFreeTrial({ ended, windows }: Pick<BoundaryInput, 'ended' | 'windows'>): boolean {
  return ended?.trial !== undefined && windows.length === 0;
}

/** What the invoice of a period's end is, and of which period: the one that ended, behind a free trial the one that begins. */
export function headOfEnd<K extends 'period' | 'closing'>(
  boundary: Pick<BoundaryInput, 'ended' | 'next' | 'windows'>,
  kind: K,
): { kind: K | 'opening'; period: Period | null } {
  const { ended, next } = boundary;
  return kind === 'period' && next && endsFreeTrial(boundary)
    ? { kind: 'opening', period: next }
    : { kind, period: ended };
}

/**
 * The part of an opening invoice: what is due at the very start, in_advance the fee and recurring add-ons, and prepaid
 * units under either timing (spec/prepaid-units#changes). Null where nothing above 0 of these is due; a one_time add-on alone waits for
 * the first boundary, but is due where a trial has ended (spec/subscriptions#trials). A trial opens nothing.
 */
export function openingPart(input: OpeningInput, { currency }: { currency: string }, isBehindTrial = false) {
  if (input.first.trial) return null;
  const charges = limitedCharges({ ...input, ended: null, next: input.first, windows: [] });
  const part = {
    ...charges,
    kind: 'opening' as const,
    periodStart: input.first.startsAt,
    periodEnd: input.first.endsAt,
    pending: [],
  };
  const addons = charges.addons.filter(({ kind }) => isBehindTrial || kind !== 'one_time');
  const untaxed = { currency, taxRate: ZERO, credits: [], today: input.first.startDate };
  return computeInvoice({ ...part, ...untaxed, addons }).subtotal.gt(0) ? part : null;
}
