import type { Overrides } from '../../billing/subscriptions/agreement.ts';
import { parseExactJson, stringifyExactJson } from '../../runtime/exact-json.ts';
import { type OverridesInput, overridesInput, overridesOf } from '../../wire/catalog/overrides.ts';

/** Overrides as a message to a workflow carries them: JSON with every digit, as it was sent. */
export function overridesToText(sent: OverridesInput): string {
  return stringifyExactJson(sent);
}

export function overridesFromText(text: string): Overrides {
  return overridesOf(overridesInput.parse(parseExactJson(text)));
}
