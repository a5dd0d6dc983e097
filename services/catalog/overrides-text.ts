import type { Overrides } from '../../billing/subscriptions/agreement.ts';
import { parseExactJson, stringifyExactJson } from '../../runtime/exact-json.ts';
import { type OverridesInput, overridesInput, overridesOf } from '../../wire/catalog/overrides.ts';
import { fromToWire } from '../../wire/catalog/price-books.ts';
import { newPriceId } from './plan-parts.ts';

/** Overrides as a message to a workflow carries them: JSON with every digit, as it was sent, and hardly longer: Temporal takes 2 MiB. */
export function overridesToText({ components, ...sent }: OverridesInput): string {
  const read = components?.map(({ prices, ...one }) => {
    const rows = prices?.map(({ from, ...row }) => ({ ...row, ...(from && { from: fromToWire(from) }) }));
    return { ...one, ...(rows && { prices: rows }) };
  });
  return stringifyExactJson({ ...sent, ...(read && { components: read }) });
}

export function overridesFromText(text: string): Overrides {
  return overridesOf(overridesInput.parse(parseExactJson(text)), newPriceId);
}
