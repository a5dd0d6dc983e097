import { isDecimal } from '../../core/decimal.ts';
import { parseStoredJson, stringifyExactJson } from '../../runtime/exact-json.ts';

/** Fields that the account keeps for itself, wherever they stand in an answer. */
const INTERNAL = new Set(['metadata', 'test_clock_id', 'is_cost_metric', 'unit_cost']);

/** Whose id it has is somebody else's. */
const PAYER = 'billed_to';

/** An answer of the API as the customer whose it is may read it. */
export function withoutInternals(answer: unknown): unknown {
  // Parts of it may be their text already.
  return without(parseStoredJson(stringifyExactJson(answer)));
}

function without(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(without);
  if (typeof value !== 'object' || value === null || isDecimal(value)) return value;
  const shown = Object.entries(value).filter(([field]) => !INTERNAL.has(field));
  return Object.fromEntries(
    shown.map(([field, inner]) => (field === PAYER ? toldThatAnotherPays(inner) : [field, without(inner)])),
  );
}

function toldThatAnotherPays(payer: unknown): [string, boolean] {
  return ['is_billed_to_another', payer !== null];
}
