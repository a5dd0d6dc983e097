import { toPlain } from '../../core/decimal.ts';
import { fieldName } from '../../core/domain-error.ts';
import { parseExactNumber, parseRoundedNumber } from '../../core/property-numbers.ts';
import { NumberText } from '../../runtime/exact-json.ts';
import { type Findings, isLongName, MAX_PROPERTIES, put, report } from '../usage-event-input.ts';
import { isObject } from './read-event.ts';

/**
 * A sender's object as properties of `/api/track` (spec/senders#values): members of objects by dotted names (`usage.input`), nulls left
 * out, numbers of more than 18 decimals rounded. What may not be a property stays as it is, for the rules of `/api/track` to refuse
 * under its name; after more names than those allow no further one is read. What they cannot see is added to `findings`; `field` is
 * what the sender calls the object.
 */
export function dottedProperties(value: unknown, field: string, findings: Findings): Record<string, unknown> {
  const properties: Record<string, unknown> = {};
  if (value === undefined || value === null) return properties;
  if (isObject(value)) addMembers(value, '', { properties, field, findings, count: 0 });
  else report(findings, field, 'Must be an object.');
  return properties;
}

/** `count`: names so far, the repeated ones included. */
type Adding = { properties: Record<string, unknown>; field: string; findings: Findings; count: number };

function addMembers(members: Record<string, unknown>, prefix: string, adding: Adding): void {
  for (const key in members) {
    if (adding.count > MAX_PROPERTIES) return;
    const value = members[key];
    const name = prefix + key;
    if (value === null) continue;
    // A name that is too long already is refused as it is: how much longer it would get does not matter.
    if (isObject(value) && !isLongName(name)) addMembers(value, `${name}.`, adding);
    else add(name, value, adding);
  }
}

function add(name: string, value: unknown, adding: Adding): void {
  const { properties, field, findings } = adding;
  adding.count += 1;
  if (!Object.hasOwn(properties, name)) put(properties, name, counted(value));
  else report(findings, fieldName(field, name), 'Must not have two values: its dotted name stands twice.');
}

/** A number, or text that is one, with the digits that count; anything else as it is. */
function counted(value: unknown): unknown {
  if (value instanceof NumberText) return parseRoundedNumber(value.text) ?? Number.NaN;
  if (typeof value !== 'string' || parseExactNumber(value) !== null) return value;
  const rounded = parseRoundedNumber(value);
  return rounded === null ? value : toPlain(rounded);
}
