import { withCreditedBefore } from '../../../../billing/credits/credited-waiting.ts';
import { creditOfDowngrade, prorationCreditsAt } from '../../../../billing/credits/proration-credits.ts';
import { isOfSwitches } from '../../../../billing/credits/switch-charges.ts';
import { type ApplicableDiscount, feeShareLeft } from '../../../../billing/discounts/discounts.ts';
import type { BoundaryInput } from '../../../../billing/invoices/boundary-charges.ts';
import { isChargedAhead, isFeeOf } from '../../../../billing/invoices/charged-ahead.ts';
import type { NewInvoiceLine } from '../../../../billing/invoices/invoice.ts';
import { holdersOf, type SegmentedPeriod, switchesIn } from '../../../../billing/periods/segments.ts';
import type { DowngradePart, Ending } from '../../../../billing/subscriptions/cancel.ts';
import type { SwitchParties } from '../../../../billing/subscriptions/switch.ts';
import { type Decimal, ZERO } from '../../../../core/decimal.ts';
import { type Instant, localDateAt } from '../../../../core/instants.ts';
import { CUSTOMER } from '../core-customer.ts';
import type { CoreWallet } from '../core-wallet.ts';
import type { CorePayer } from './core-payer.ts';
import type { CoreSwitcher } from './core-switcher.ts';

/** A contract, as far as what it has been billed is given back. */
type Billed = {
  held: CoreSwitcher;
  wallet: CoreWallet;
  payer: CorePayer;
  currency: string;
  discounts: readonly ApplicableDiscount[];
  pending: NewInvoiceLine[];
  prorationCredits: Map<Instant, Decimal>;
};

/** As `creditDifference` in services/subscriptions/save-switch.ts. */
export function creditDifference(
  contract: Billed,
  parties: SwitchParties,
  { period, wanted, at }: { period: SegmentedPeriod; wanted: Decimal; at: Instant },
): void {
  const { wallet, payer, discounts, pending, held } = contract;
  const { old, oldPlan } = parties;
  const isAhead = oldPlan.chargeTiming === 'in_advance';
  const [paid, switches] = [paidIn(period), switchesIn(period.segments)];
  const isCharged = (line: NewInvoiceLine) => (isAhead ? isFeeOf(line, paid) : isOfSwitches(line, switches));
  payer.issueSections(nowOf(contract, at), isCharged);
  const charged = isAhead ? wallet.chargedFees(paid.holders, paid.period, discounts) : wallet.switchCharges(switches);
  const feeShare = feeShareLeft(discounts, { subscriptionId: old.subscriptionId, planId: oldPlan.planId });
  const { parts, ofLines } = creditOfDowngrade(payer, parties, wanted, { charged, pending, period, feeShare });
  pending.splice(0, pending.length, ...pending.map((line) => withCreditedBefore(line, ofLines)));
  for (const part of parts) credit(contract, part, at);
  held.keepCredited(parts);
}

/** As `saveProrationCredits`. */
export function creditProration(
  contract: Billed,
  boundary: BoundaryInput | undefined,
  { ending, at }: { ending: Ending; at: Instant },
): void {
  if (!boundary?.ended) return;
  const { wallet, payer, pending, discounts, held, currency } = contract;
  const { subscription, timeZone } = held;
  const paid = paidIn(boundary.ended);
  if (isChargedAhead(boundary)) payer.issueSections(nowOf(contract, at), (line) => isFeeOf(line, paid));
  const charged = wallet.chargedFees(paid.holders, paid.period, discounts);
  const customer = { ...CUSTOMER, currency, timeZone, taxRate: payer.taxRate };
  const { given, waived } = prorationCreditsAt({ customer, subscription, boundary, ending }, { charged, pending });
  for (const one of given) {
    const { wallet: payers, creditId } = credit(contract, one, at);
    if (payer.records.staysOpen) payers.payOwed(creditId, one.invoiceId, nowOf(contract, at));
  }
  if (waived) pending.push(waived);
}

function credit(contract: Billed, part: DowngradePart, at: Instant): ReturnType<CoreWallet['creditProration']> {
  const { prorationCredits, payer } = contract;
  prorationCredits.set(at, (prorationCredits.get(at) ?? ZERO).plus(part.amount));
  return payer.wallet.creditProration(part, nowOf(contract, at));
}

function paidIn({ segments, billing: period }: SegmentedPeriod) {
  return { holders: holdersOf(segments), period };
}

function nowOf({ held: { timeZone } }: Billed, at: Instant) {
  return { at, today: localDateAt(at, timeZone) };
}
