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
