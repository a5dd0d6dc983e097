import { type Decimal, roundHalfAwayFromZero } from '../../core/decimal.ts';
import type { NewInvoiceLine } from '../invoices/invoice.ts';
import { emptyLine, feeLine, prepaidLine, prorationLine } from '../invoices/invoice-lines.ts';
import { groupDigits } from '../invoices/line-descriptions.ts';
import { feeKeys, pricedKey, unitsKeys } from './charge-keys.ts';
import type { FeeChange, LineDue, PeriodFacts, UnitsChange, UnitsFacts } from './facts.ts';
import { type DaySpan, type Layer, layersOf, usedDays } from './layers.ts';

/**
 * A line that a billing period costs, before limits, discounts and tax. `key` identifies it across invoices. `asked` is what its
 * invoice says; `now` is what is left of it by today's facts. Both are rounded to the currency. `line` is the invoice line of `asked`.
 */
export type CostLine = {
  key: string;
  periodId: string;
  windowId: string | null;
  due: LineDue;
  line: NewInvoiceLine;
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
  const { periodId, priced } = facts;
  const round = (amount: Decimal) => roundHalfAwayFromZero(amount, places);
  const otherLines = priced.map(({ itemId, windowId, due, line }): CostLine => {
    const key = pricedKey(periodId, line.type === 'addon' ? 'addon' : 'usage', windowId, itemId);
    return { key, periodId, windowId, due, line, asked: line.amount, now: line.amount };
  });
  const lines = [...feeLines(facts), ...facts.units.flatMap((units) => unitsLines(units, facts)), ...otherLines];
  return lines.map(({ line, asked, now, ...rest }) => {
    return { ...rest, line: { ...line, amount: round(asked) }, asked: round(asked), now: round(now) };
  });
}

/** The first layer is the fee itself, each later one a proration. A plan without a fee has no fee line. */
function feeLines({ periodId, startsAt, endsAt, isInAdvance, ...period }: PeriodFacts): CostLine[] {
  const { fees, days, length, used } = period;
  return withChanges(layersOf(fees, period), fees).map(({ layer, change, before }) => {
    const { subscriptionId, planId, version, planName, changeId, from } = change;
    const charge = {
      subscriptionId,
      planId,
      version,
      planName,
      days,
      billedDays: usedDays({ from, to: length }, used),
    };
    const isFirst = before === null;
    const line = isFirst
      ? feeLine({ ...charge, periodStart: startsAt, periodEnd: endsAt, fee: layer.height })
      : prorationLine({
          ...{ ...charge, periodStart: startsAt, periodEnd: endsAt },
          ...{ oldPlanName: before.planName, difference: layer.height },
        });
    const key = `${feeKeys(periodId)}${changeId}`;
    const due = isFirst ? (isInAdvance ? 'start' : 'end') : 'change';
    return { key, periodId, windowId: null, due, line, asked: layer.asked, now: layer.now };
  });
}

function unitsLines(units: UnitsFacts, { periodId }: PeriodFacts): CostLine[] {
  const { metricId, metricName, windowId, startsAt: periodStart, endsAt: periodEnd, changes } = units;
  return withChanges(layersOf(changes, WHOLE), changes).map(({ layer, change, before }) => {
    const { subscriptionId, planId, version, component, changeId } = change;
    const origin = { subscriptionId, planId, version, periodStart, periodEnd };
    const line =
      before === null
        ? prepaidLine({ ...origin, metricName, component, units: change.units })
        : { ...emptyLine('proration', describeUnits(metricName, before, change)), ...origin, metricId };
    const key = `${unitsKeys(periodId, windowId, metricId)}${changeId}`;
    const due = before === null ? 'start' : 'change';
    return { key, periodId, windowId, due, line, asked: layer.asked, now: layer.now };
  });
}

function describeUnits(metricName: string, before: UnitsChange, after: UnitsChange): string {
  return `${metricName}: prepaid units from ${groupDigits(before.units)} to ${groupDigits(after.units)}`;
}

/** Each layer with the change that put it there, and the change before that one; null for the first. */
function withChanges<C extends FeeChange | UnitsChange>(layers: readonly Layer[], changes: readonly C[]) {
  return layers.flatMap((layer) => {
    const i = changes.findIndex(({ changeId }) => changeId === layer.changeId);
    const change = changes[i];
    return change ? [{ layer, change, before: changes[i - 1] ?? null }] : [];
  });
}
