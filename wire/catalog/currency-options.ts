import { z } from '@hono/zod-openapi';
import type { Plan } from '../../billing/subscriptions/subscription.ts';
import { currencyCodeInput } from '../primitives.ts';
import { overridesInput, overridesOf, overridesToWire, overridesWire } from './overrides.ts';

const OPTIONS =
  "What the plan costs in further currencies, by code: its fee where the plan has one, and each of its components. Null: only in the plan's own.";
const example = { eur: { recurring_fee: 27, components: [{ metric_id: 'metric_01jd3k9x', overage_price: 0.0018 }] } };

/** Further currencies of a plan (spec/plans#currencies), by code in any case. */
export const currencyOptionsInput = z
  .record(currencyCodeInput, overridesInput)
  .refine((options) => Object.keys(options).length <= 50, 'Must have at most 50 currencies.')
  .nullable()
  .optional()
  .openapi({ description: OPTIONS, example });
type CurrencyOptionsInput = z.output<typeof currencyOptionsInput>;

export const currencyOptionsWire = z
  .record(z.string(), overridesWire)
  .nullable()
  .openapi({ description: OPTIONS, example: null });

/** A plan's further currencies as they were sent. */
export function currencyOptionsOf(sent: CurrencyOptionsInput, newPriceId: () => string): Pick<Plan, 'currencyOptions'> {
  const options = Object.entries(sent ?? {}).map(([code, option]) => [code, overridesOf(option, newPriceId)] as const);
  return options.length === 0 ? {} : { currencyOptions: Object.fromEntries(options) };
}

/** The same as the API returns them; null where there are none. */
export function currencyOptionsToWire({ currencyOptions }: Plan) {
  if (!currencyOptions) return null;
  const options = Object.entries(currencyOptions);
  return Object.fromEntries(options.map(([code, option]) => [code.toLowerCase(), overridesToWire(option)]));
}
