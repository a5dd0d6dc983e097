import { toPlain } from '../../core/decimal.ts';
import type { FieldMessages } from '../../core/domain-error.ts';
import { parseExactNumber, parseRoundedNumber } from '../../core/property-numbers.ts';
import { JsonText } from '../../runtime/exact-json.ts';
import { isLongName, MAX_PROPERTIES } from '../usage-event-input.ts';
import { isObject } from './read-event.ts';

/** Properties as `/api/track` takes them, by dotted names, and what is wrong with them that only shows before they are. */
export type DottedProperties = { properties: Record<string, unknown>; errors: FieldMessages };

/**
 * A sender's object as properties (spec/senders#values): members of objects by dotted names (`usage.input`), nulls left
 * out, numbers of more than 18 decimals rounded. What may not be a property stays as it is, for the rules of `/api/track` to refuse
 * under its name; after more names than those allow no further one is read. `field` is what the sender calls the object.
 */
export function dottedProperties(value: unknown, field: string): DottedProperties {
  // Without a prototype: a property may have any name.
  const dotted: DottedProperties = { properties: Object.create(null), errors: Object.create(null) };
  if (value === undefined || value === null) return dotted;
  if (isObject(value)) addMembers(value, '', { ...dotted, field, count: 0 });
  else dotted.errors[field] = ['Must be an object.'];
  return dotted;
}

/** `count`: names so far, the repeated ones included. */
type Adding = DottedProperties & { field: string; count: number };

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
  const { properties, errors, field } = adding;
  adding.count += 1;
  if (name in properties) errors[`${field}.${name}`] = ['Must not have two values: its dotted name stands twice.'];
  else properties[name] = counted(value);
}

/** A number, or text that is one, with the digits that count; anything else as it is. */
function counted(value: unknown): unknown {
  if (value instanceof JsonText) return parseRoundedNumber(value.text) ?? Number.NaN;
  if (typeof value !== 'string' || parseExactNumber(value) !== null) return value;
  const rounded = parseRoundedNumber(value);
  return rounded === null ? value : toPlain(rounded);
}
