import { isDecimal } from '../../core/decimal.ts';
import { JsonText, NumberText, parseStoredJson, stringifyExactJson } from '../../runtime/exact-json.ts';

/** Fields that the account keeps for itself, wherever they stand in an answer. */
const INTERNAL = new Set(['metadata', 'test_clock_id', 'is_cost_metric', 'unit_cost']);

/** Whose id it has is somebody else's. */
const PAYER = 'billed_to';

/** An answer of the API as the customer whose it is may read it. */
export function withoutInternals(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutInternals);
  if (typeof value !== 'object' || value === null || isDecimal(value) || value instanceof NumberText) return value;
  // Parts of an answer may be their text already, each for itself: all at once would be many times as large.
  if (value instanceof JsonText) return new JsonText(stringifyExactJson(withoutInternals(parseStoredJson(value.text))));
  const shown = Object.entries(value).filter(([field]) => !INTERNAL.has(field));
  return Object.fromEntries(
    shown.map(([field, inner]) => (field === PAYER ? toldThatAnotherPays(inner) : [field, withoutInternals(inner)])),
  );
}

function toldThatAnotherPays(payer: unknown): [string, boolean] {
  return ['is_billed_to_another', payer !== null];
}
