import { type Decimal, min, roundHalfAwayFromZero, sum, ZERO } from '../../core/decimal.ts';
import type { NewInvoiceLine } from '../invoices/invoice.ts';
import { billedDays, daysOf, type SegmentedPeriod, switchesIn } from '../periods/segments.ts';
import type { Ending } from '../subscriptions/cancel.ts';

/** What is credited of a line that waits for an invoice, without tax. */
export type LineCredited = { line: NewInvoiceLine; amount: Decimal };

/** What a downgrade credits of what is on no invoice yet: of lines that wait, and in arrears of the fee to come. */
export type WaitingCredited = { ofLines: LineCredited[]; ofFee: Decimal };

/**
 * Of which charges an amount is that a downgrade credits of what is on no invoice yet: of lines that wait the latest first, of each what
 * percentages leave (`shareOf`) of it, then of the fee to come; where none is (`isAhead`), a cent of a rounding is of the first line.
 */
export function creditedOfWaiting(
  amount: Decimal,
  lines: readonly NewInvoiceLine[],
  { shareOf, isAhead, places }: { shareOf(line: NewInvoiceLine): Decimal; isAhead: boolean; places: number },
): WaitingCredited {
  let left = amount;
  const ofLines = lines.toReversed().map((line, i): LineCredited => {
    const whole = roundHalfAwayFromZero(line.amount.times(shareOf(line)), places).minus(line.creditedBefore ?? ZERO);
    const isRest = isAhead && i === lines.length - 1;
    const own = isRest ? left : min(left, whole.gt(0) ? whole : ZERO);
    left = left.minus(own);
    return { line, amount: own };
  });
  return { ofLines: ofLines.filter((one) => one.amount.gt(0)), ofFee: left };
}

/** A line that waits with what is credited of it. */
export function withCreditedBefore(line: NewInvoiceLine, credited: readonly LineCredited[]): NewInvoiceLine {
  const ours = credited.filter((one) => one.line === line).map(({ amount }) => amount);
  return ours.length === 0 ? line : { ...line, creditedBefore: sum(ours).plus(line.creditedBefore ?? ZERO) };
}

/** What switches have credited of the fee of a period in arrears, but for what is charged again with it; undefined for nothing. */
export function feeCreditedBefore(
  { segments }: SegmentedPeriod,
  flatFeeBehavior?: Ending['flatFeeBehavior'],
): Decimal | undefined {
  const credited = switchesIn(segments).flatMap(({ credited: parts = [], rest }) => {
    const ofFee = sum(parts.map((part) => part.ofFee ?? ZERO));
    return ofFee.isZero() ? [] : [ofFee.times(billedDays(rest, flatFeeBehavior)).div(daysOf(rest))];
  });
  return credited.length === 0 ? undefined : sum(credited);
}
