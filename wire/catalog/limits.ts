import { type Limited, limitedBy } from '../../billing/pricing/limits.ts';
import { type Decimal, isDecimal, toPlain } from '../../core/decimal.ts';
import { decimalWire, nonNegativeInput, orNull } from '../primitives.ts';

const TEXTS = {
  component: {
    minimum: 'The least that prepaid units and usage of a period come to; what is missing is a true_up line.',
    maximum: 'The most that prepaid units and usage of a period come to; what is beyond is a true_up line below 0.',
  },
  plan: {
    minimum: 'The least that fee, prepaid units and usage of a period come to; what is missing is a true_up line.',
    maximum:
      'The most that fee, prepaid units and usage of a period come to; what is beyond is a true_up line below 0.',
  },
};

/** The limits of a plan or a component, as they are sent (spec/rating#limits): left out and null are none. */
export function limitInputs(of: keyof typeof TEXTS) {
  return {
    minimum_amount: orNull(nonNegativeInput).optional().openapi({ description: TEXTS[of].minimum, example: 40 }),
    maximum_amount: orNull(nonNegativeInput).optional().openapi({ description: TEXTS[of].maximum, example: 130 }),
  };
}

/** The limits as the API returns them. */
export function limitWires(of: keyof typeof TEXTS) {
  return {
    minimum_amount: orNull(decimalWire).openapi({ description: TEXTS[of].minimum, example: 40 }),
    maximum_amount: orNull(decimalWire).openapi({ description: TEXTS[of].maximum, example: 130 }),
  };
}

/** Limits as they may be sent. */
export type SentLimits = { minimum_amount?: Decimal | null | undefined; maximum_amount?: Decimal | null | undefined };

/** The limits that were sent. */
export function limitsOf({ minimum_amount = null, maximum_amount = null }: SentLimits): Limited {
  return limitedBy(minimum_amount, maximum_amount);
}

/** The limits as the API returns them, null where there are none. */
export function limitsToWire({ limits }: Limited) {
  return { minimum_amount: limits?.minimumAmount ?? null, maximum_amount: limits?.maximumAmount ?? null };
}

/** What is wrong with limits, by field; `fee`: what a plan's maximum must leave room for. */
export function limitErrors(
  { minimum_amount: minimum, maximum_amount: maximum }: SentLimits,
  fee?: Decimal | undefined,
): [string, string][] {
  if (!isDecimal(maximum)) return [];
  if (isDecimal(fee) && maximum.lt(fee)) {
    return [['maximum_amount', `Must not be below recurring_fee, which is ${toPlain(fee)}.`]];
  }
  if (!isDecimal(minimum) || minimum.lte(maximum)) return [];
  return [['minimum_amount', `Must not be above maximum_amount, which is ${toPlain(maximum)}.`]];
}
