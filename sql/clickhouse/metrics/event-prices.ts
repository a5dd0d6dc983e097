import type { MetricRule } from '../../../billing/catalog/metrics.ts';
import type { UsageValue } from '../../../billing/metering/aggregate.ts';
import type { EventPrices, PercentagePrice } from '../../../billing/pricing/percentage.ts';
import { type Decimal, decimal, toPlain } from '../../../core/decimal.ts';
import { askInSlices, OF_A_CALLER } from '../clickhouse.ts';
import { type Bind, queryParameters } from '../query-parameters.ts';
import { numberOf } from './event-properties.ts';
import { answerOf, type MetricQueryRow, type MetricQuestion } from './metric-query.ts';
import { type UsageSource, usageFromRow } from './metric-usage.ts';

/** A question whose events have a price each. */
export type PricedQuestion = MetricQuestion & { perEvent: PercentagePrice };

export function isPriced(question: MetricQuestion): question is PricedQuestion {
  return question.perEvent !== undefined && question.perEvent !== null;
}

export type EventPricesRow = { billable: string; charge: string };

/** Percent have 12 decimals and prices as many, values 18: of a product of the two none is lost. */
const PERCENT_DECIMALS = 14;
const CHARGE_DECIMALS = 32;

/**
 * The totals of any number of questions, in their order, with what their events come to by a price each: counted and priced by the
 * same SELECT, exactly (spec/rating#percentage).
 */
export function findEventPrices(
  { clickhouse, limits = OF_A_CALLER }: UsageSource,
  questions: readonly PricedQuestion[],
): Promise<UsageValue[]> {
  return askInSlices(clickhouse, questions, limits, async (some, statement) => {
    const { bind, params } = queryParameters();
    const selects = some.map((question, i) =>
      answerOf(question, i, bind, { columns: [eventPriceColumns(question, bind)] }),
    );
    const rows = await statement<MetricQueryRow & EventPricesRow>({ sql: selects.join('\nUNION ALL\n'), params });
    const byQuestion = new Map(rows.map((row) => [row.question, row]));
    return some.map((_, i) => {
      const row = byQuestion.get(i);
      return { ...usageFromRow(row), byEvent: eventPricesFromRow(row) };
    });
  });
}

/** SQL: two columns, of what the events come to that have the price each; as text, which travels exactly. */
export function eventPriceColumns({ metric, perEvent }: PricedQuestion, bind: Bind): string {
  const money = (name: string, amount: Decimal) => bind(name, MONEY_TYPE, toPlain(amount));
  const { percentage, fixedAmount, perEventMinimum, perEventMaximum } = perEvent;
  const { billable, charge } = eventPriceSums(metric, bind, {
    share: bind('percentage', SHARE_TYPE, toPlain(percentage.shiftedBy(-2))),
    fixed: money('fixed_amount', fixedAmount),
    least: perEventMinimum && money('minimum', perEventMinimum),
    most: perEventMaximum && money('maximum', perEventMaximum),
  });
  return `toString(${billable}) AS billable, toString(${charge}) AS charge`;
}

/** The types of what a price of events is made of. */
export const SHARE_TYPE = `Decimal(76, ${PERCENT_DECIMALS})`;
export const MONEY_TYPE = `Decimal(76, ${CHARGE_DECIMALS})`;

/** SQL of a price of events: the part of the value, of types {@link SHARE_TYPE} and {@link MONEY_TYPE}; null: no bound. */
type PriceTerms = { share: string; fixed: string; least: string | null; most: string | null };

/** SQL: the sum of the values above 0, and of their prices. */
export function eventPriceSums({ propertyName }: MetricRule, bind: Bind, { share, fixed, least, most }: PriceTerms) {
  const value = `toDecimal256(${numberOf(bind('property', 'String', propertyName))}, 18)`;
  const exact = `${value} * ${share} + ${fixed}`;
  const raised = least ? `greatest(${exact}, ${least})` : exact;
  const charge = most ? `least(${raised}, ${most})` : raised;
  const total = (what: string) => `sumIf(${what}, ${value} > 0)`;
  return { billable: total(value), charge: total(charge) };
}

/** What a row says; 0 where there is none. */
export function eventPricesFromRow(row: EventPricesRow | undefined): EventPrices {
  return { billable: decimal(row?.billable ?? 0), amount: decimal(row?.charge ?? 0) };
}
