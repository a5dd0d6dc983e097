import { isDecimal } from './decimal.ts';

/** Whether a value of parsed JSON is an object whose fields can be looked at: no list, and no number that is exact. */
export function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isDecimal(value);
}
