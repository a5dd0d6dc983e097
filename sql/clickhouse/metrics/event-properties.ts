import type { PropertyValue } from '../../../billing/catalog/metrics.ts';
import { decimal } from '../../../core/decimal.ts';

/** The maps of `usage_events` in which an event's properties stand; a numeric string is in `numbers` and in `strings`. */
export type PropertyMaps = {
  numbers: Record<string, string>;
  strings: Record<string, string>;
  booleans: Record<string, boolean>;
};

/** SQL: the row's number of that property, numeric strings included; 0 where it has none. `name` is a placeholder. */
export function numberOf(name: string): string {
  return `numbers[${name}]`;
}

/** SQL: true where {@link numberOf} is a number of the event. */
export function hasNumber(name: string): string {
  return `mapContains(numbers, ${name})`;
}

/** SQL: whether the property was sent as text; then that is its text. */
export function hasString(name: string): string {
  return `mapContains(strings, ${name})`;
}

/** SQL: the property's text as `propertyText` in billing/ has it; NULL where the event does not have the property. */
export function textOf(name: string): string {
  return (
    `multiIf(${hasString(name)}, strings[${name}], ` +
    `mapContains(numbers, ${name}), toString(numbers[${name}]), ` +
    `mapContains(booleans, ${name}), toString(booleans[${name}]), NULL)`
  );
}

/** The properties as they were sent, each with its kind. */
export function propertiesFromMaps({ numbers, strings, booleans }: PropertyMaps): Record<string, PropertyValue> {
  const entries: [string, PropertyValue][] = [
    ...Object.entries(numbers).map(([name, value]): [string, PropertyValue] => [
      name,
      { kind: 'number', value: decimal(value) },
    ]),
    ...Object.entries(booleans).map(([name, value]): [string, PropertyValue] => [name, { kind: 'boolean', value }]),
    // Last, so that a numeric string is the string that was sent.
    ...Object.entries(strings).map(([name, value]): [string, PropertyValue] => [name, { kind: 'string', value }]),
  ];
  return Object.fromEntries(entries);
}
