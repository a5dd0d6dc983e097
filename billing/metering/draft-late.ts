import { currencyOf } from '../../core/currencies.ts';
import type { Instant } from '../../core/instants.ts';
import type { ChargedPart } from '../credits/charged-part.ts';
import { plannedCredit } from '../credits/credits.ts';
import type { InvoicePart } from '../invoices/compute-invoice.ts';
import { billedLate } from '../invoices/pending-items.ts';
import { type SettledCorrections, settleLate } from '../settle/late-corrections.ts';
import type { CorrectionCredit } from '../settle/place-corrections.ts';
import type { Foreseen } from '../state/customer-state.ts';
import { changed, type NeedsUsage } from '../state/usage-question.ts';
import type { BilledUsage } from './billed-usage.ts';
import { hasNewRows } from './held-now.ts';
import { isBilledBehind } from './late-true-ups.ts';
import { type CountedLate, countedLate, isLateChange, lateUsage, takeWatermarks } from './late-usage.ts';

/** Late usage for the next invoice of a subscription (`takeWatermarks`). An account may have it ignored, but for what new rows price. */
export function lateByHeir({ account, watermarks, billedLate: all, rules }: Foreseen) {
  const left = new Set(watermarks);
  const isAsked = (billed: BilledUsage) => account.lateUsage !== 'ignore' || hasNewRows(billed, rules);
  const billedOf = Map.groupBy(all.filter(isAsked), ({ subscriptionId }) => subscriptionId);
  return (heirId: string, withEnded: boolean): NeedsUsage<CountedLate[]> => {
    const ours = takeWatermarks(left, heirId, withEnded);
    const billed = ours.flatMap(({ subscriptionId }) => billedOf.get(subscriptionId) ?? []);
    return changed(lateUsage(ours, billed, rules), (late) => billedLate(countedLate(late), account));
  };
}

/** The late usage of a part that bills none. */
export const NOTHING_LATE: SettledCorrections = { late: [], credits: [] };

/** Late usage on a part: what it lowers of earlier invoices is settled. */
export function lateOn(
  { trueUps }: Pick<ChargedPart, 'trueUps'>,
  counted: readonly CountedLate[],
  { lateRecords, payer, customer }: Foreseen,
): SettledCorrections {
  if (counted.length === 0 || lateRecords === null) return { late: counted.filter(isLateChange), credits: [] };
  const { exponent: places } = currencyOf(customer.currency);
  const { customerId: payerId } = payer;
  const isRunning = (charge: CountedLate) => isBilledBehind(charge, trueUps ?? []);
  return settleLate(counted, lateRecords, { takesLines: { payerId }, isRunning, places });
}

/** The part with the credits that its late usage makes for whoever is billed for it. */
export function withCorrections<Part extends InvoicePart & { dueAt: Instant }>(
  part: Part,
  credits: readonly CorrectionCredit[],
  { payer }: Foreseen,
): Part {
  const { customerId, currency } = payer;
  const planned = credits.flatMap(({ payerId, invoiceId, amount, tax, expiresAt, paysInvoice }) => {
    if (payerId !== customerId || paysInvoice) return [];
    const of = { amount: amount.plus(tax), currency, description: 'Late usage', at: part.dueAt };
    return { ...plannedCredit(`late/${invoiceId}/${expiresAt}`, of), expiresAt };
  });
  return { ...part, prorationCredits: [...(part.prorationCredits ?? []), ...planned] };
}
