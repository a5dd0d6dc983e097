import { type Decimal, roundHalfAwayFromZero } from '../../core/decimal.ts';
import type { LineDue, LineOrigin, OriginChange, PeriodFacts } from './facts.ts';
import { type DaySpan, layersOf } from './layers.ts';

/**
 * A line that a billing period costs, before limits, discounts and tax. `key` identifies it across invoices. `asked` is what its
 * invoice says; `now` is what is left of it by today's facts. Both are rounded to the currency.
 */
export type CostLine = LineOrigin & {
  key: string;
  periodId: string;
  windowId: string | null;
  due: LineDue;
  asked: Decimal;
  now: Decimal;
};

/** Units and their changes are whole: one day, which is used. */
const WHOLE = { days: 1, length: 1, used: [{ from: 0, to: 1 }] as readonly DaySpan[] };

/**
 * Computes what a billing period costs by today's facts (spec/reversals#cost), line by line: fees, prepaid units, usage, add-ons.
 * Each layer of a fee or of prepaid units is a line. The result knows no invoice.
 */
export function costOf(facts: PeriodFacts, places: number): CostLine[] {
  const { periodId, fees, units, priced, isInAdvance } = facts;
  const whole = { periodId, windowId: null, metricId: null };
  const feeLines = layerLines(fees, facts, {
    ...whole,
    type: 'recurring_fee',
    firstDue: isInAdvance ? 'start' : 'end',
  });
  const unitLines = units.flatMap(({ metricId, windowId, changes }) => {
    return layerLines(changes, WHOLE, { periodId, windowId, metricId, type: 'prepaid_units', firstDue: 'start' });
  });
  const otherLines = priced.map(({ itemId, amount, ...line }) => {
    const key = `${periodId}/${line.type}/${line.windowId}/${itemId}`;
    return { ...line, key, periodId, asked: amount, now: amount };
  });
  return [...feeLines, ...unitLines, ...otherLines].map((line) => ({
    ...line,
    asked: roundHalfAwayFromZero(line.asked, places),
    now: roundHalfAwayFromZero(line.now, places),
  }));
}

/** The first layer is the fee or the units themselves, each later one a proration. */
function layerLines(
  changes: readonly OriginChange[],
  period: { days: number; length: number; used: readonly DaySpan[] },
  line: Pick<CostLine, 'periodId' | 'windowId' | 'metricId' | 'type'> & { firstDue: LineDue },
): CostLine[] {
  const { firstDue, ...rest } = line;
  const origins = new Map(changes.map((change) => [change.changeId, change]));
  return layersOf(changes, period).flatMap(({ changeId, asked, now }) => {
    const origin = origins.get(changeId);
    if (!origin) return [];
    const { subscriptionId, planId } = origin;
    const isFirst = origin === changes[0];
    const key = `${line.periodId}/${line.type}/${line.windowId ?? ''}/${line.metricId ?? ''}/${changeId}`;
    const type = isFirst ? line.type : 'proration';
    return { ...rest, type, key, subscriptionId, planId, due: isFirst ? firstDue : 'change', asked, now };
  });
}
