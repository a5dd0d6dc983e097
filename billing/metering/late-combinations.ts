import { ZERO } from '../../core/decimal.ts';
import type { HeldRest } from '../pricing/held-usage.ts';
import { combinationKey, rowsKnown } from '../pricing/price-book.ts';
import { componentOfLine } from '../pricing/row-component.ts';
import { type BillingRules, componentOf, limitedOf, metricOf } from '../state/billing-rules.ts';
import type { UsageValue } from './aggregate.ts';
import type { BilledCombination, BilledUsage, LatePeriod } from './billed-usage.ts';
import { type BookQuestion, inLineOrderOfBook } from './book-usage.ts';

/**
 * What a period of a price book comes to by now, each combination and row apart: events that came late, and what was held and has a price
 * (spec/price-books#additions).
 */
export function lateCombinations(
  { billed, after }: { billed: BilledUsage; after: UsageValue },
  question: BookQuestion,
  rules: BillingRules,
): LatePeriod[] {
  const { book } = componentOf(billed, rules);
  if (!book) throw new Error(`plan ${billed.planId} has lost the price book of ${billed.metricId}`);
  const keyOf = ({ texts, priceId }: Pick<BilledCombination, 'texts' | 'priceId'>) =>
    `${priceId} ${combinationKey(question.groupBy, texts)}`;
  const { combinations = [], rowsKnown: billedTo = 0n } = billed.book ?? {};
  const holds = book.unmatched === 'hold';
  // What holds nothing is counted again by the rows that it was billed by.
  const known = holds ? rowsKnown(book) : billedTo;
  const now = inLineOrderOfBook(question, after.combinations ?? [], billed).map(
    ({ row, ...one }): BilledCombination => {
      return { ...one, priceId: row?.priceId ?? null, isHeld: row === null && holds, rowsKnown: known };
    },
  );
  const before = new Map(combinations.map((one) => [keyOf(one), one]));
  // Of these no event has been billed when it came: what they price was held.
  const newRows = new Set(book.rows.flatMap(({ seq, priceId }) => (seq > billedTo ? priceId : [])));
  const gone = [...before.values()].filter((one) => !now.some((other) => keyOf(other) === keyOf(one)));
  const heldNow = new Map(
    now.filter(({ isHeld }) => isHeld).map((one) => [combinationKey(question.groupBy, one.texts), one]),
  );
  const all = [...now, ...gone.map((one) => ({ ...one, usage: nothingLike(one.usage), rowsKnown: known }))];
  return all.map((combination) => {
    const was = before.get(keyOf(combination))?.usage ?? nothingLike(combination.usage);
    const wasHeld = combination.priceId !== null && newRows.has(combination.priceId);
    const rest = wasHeld ? heldNow.get(combinationKey(question.groupBy, combination.texts)) : undefined;
    return latePeriodOf(
      { ...billed, combination, usage: was },
      { wasHeld, isIgnored: book.unmatched === 'ignore', ...(rest && { heldRest: restOf(rest) }) },
      rules,
    );
  });
}

function restOf({ usage, firstEventAt, startsAt, endsAt, rowsKnown: known }: BilledCombination): HeldRest {
  const { value: quantity, eventsCount } = usage;
  return { quantity, eventsCount, firstEventAt, periodStart: startsAt, periodEnd: endsAt, rowsKnown: known };
}

function latePeriodOf(
  billed: BilledUsage & { combination: BilledCombination },
  { wasHeld, isIgnored, heldRest }: { wasHeld: boolean; isIgnored: boolean; heldRest?: HeldRest },
  rules: BillingRules,
): LatePeriod {
  const { subscriptionId, planId, version, metricId, combination, usage: before, chargedRate } = billed;
  const { texts, priceId, isHeld, startsAt, endsAt, usage: after } = combination;
  const { metricName } = metricOf(rules, metricId);
  const charge = {
    ...{ subscriptionId, planId, version, periodStart: startsAt, periodEnd: endsAt, metricName, before, after },
    ...{ component: componentOfLine(componentOf(billed, rules), { priceId }), prepaidUnits: ZERO, prepaidBefore: ZERO },
    group: { texts, priceId, windowStart: billed.startsAt, windowEnd: billed.endsAt, rowsKnown: combination.rowsKnown },
    limited: limitedOf(rules, billed),
    ...(chargedRate && { chargedRate }),
    ...(wasHeld && { wasHeld }),
    ...(heldRest && { heldRest }),
    ...((isHeld || (isIgnored && priceId === null)) && { isUnbilled: true }),
  };
  return { billed, charge };
}

/** No usage, priced as the other is. */
function nothingLike({ byEvent }: UsageValue): UsageValue {
  const nothing = { value: ZERO, eventsCount: ZERO };
  return byEvent ? { ...nothing, byEvent: { billable: ZERO, amount: ZERO } } : nothing;
}
