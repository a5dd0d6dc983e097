import type { Overrides } from '../../billing/subscriptions/agreement.ts';
import { parseExactJson, stringifyExactJson } from '../../runtime/exact-json.ts';
import { type OverridesInput, overridesInput, overridesOf, overridesToWire } from '../../wire/catalog/overrides.ts';
import { newPriceId } from './plan-parts.ts';

/** Overrides as a message to a workflow carries them: JSON with every digit, as they can be sent. */
export function overridesToText(sent: OverridesInput): string {
  return stringifyExactJson(overridesToWire(overridesOf(sent, newPriceId)));
}

export function overridesFromText(text: string): Overrides {
  return overridesOf(overridesInput.parse(parseExactJson(text)), newPriceId);
}
