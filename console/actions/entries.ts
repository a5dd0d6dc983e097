import { type Field, isList, type ListField, type ValueField } from './field.ts';

/**
 * What has been entered, as text, by field. Choices are separated by commas, texts by line breaks, a yes is `true`. A list's fields are named by
 * its rows (`tiers.0.up_to`); how many it has stands at its `length`.
 */
export type Entries = Readonly<Record<string, string>>;

/** What stands in a field: what has been entered, or what stood there at first. */
export function enteredIn({ name, initial = '' }: ValueField, entries: Entries): string {
  return entries[name] ?? initial;
}

/** The rows of a list, each by its full name: `tiers.0`, `tiers.1`. */
export function rowsOf(list: string, entries: Entries): string[] {
  return Array.from({ length: Number(entries[`${list}.length`] ?? 0) }, (_, index) => `${list}.${index}`);
}

/** The fields of a row, by their full names. */
export function rowFields({ row: fieldsOf }: ListField, row: string, entries: Entries): Field[] {
  const fields = fieldsOf((name) => entries[`${row}.${name}`] ?? '');
  return fields.map((field) => ({ ...field, name: `${row}.${field.name}` }));
}

/** All fields that a value stands in, those of the rows of lists among them. */
export function leafFields(fields: readonly Field[], entries: Entries): ValueField[] {
  return fields.flatMap((field) => {
    if (!isList(field)) return [field];
    return rowsOf(field.name, entries).flatMap((row) => leafFields(rowFields(field, row, entries), entries));
  });
}

/** The names of all lists and their rows, at which an error may stand, too. */
export function placesIn(fields: readonly Field[], entries: Entries): Set<string> {
  const names = fields.filter(isList).flatMap((list) => {
    const rows = rowsOf(list.name, entries);
    return [list.name, ...rows, ...rows.flatMap((row) => [...placesIn(rowFields(list, row, entries), entries)])];
  });
  return new Set(names);
}

/** With one more row at the end of a list. */
export function withRow(entries: Entries, list: string): Entries {
  return { ...entries, [`${list}.length`]: String(rowsOf(list, entries).length + 1) };
}

/** Without a row of a list; those behind it move up. */
export function withoutRow(entries: Entries, list: string, index: number): Entries {
  const kept = Object.entries(entries).flatMap(([name, text]): [string, string][] => {
    const inList = name.startsWith(`${list}.`) ? name.slice(list.length + 1) : '';
    const [, at = '', rest = ''] = /^(\d+)(\..*)$/.exec(inList) ?? [];
    if (at === '' || Number(at) < index) return [[name, text]];
    return Number(at) === index ? [] : [[`${list}.${Number(at) - 1}${rest}`, text]];
  });
  return { ...Object.fromEntries(kept), [`${list}.length`]: String(rowsOf(list, entries).length - 1) };
}

/** What stands in the fields of a list for a list of the API's: the other way round of its body. */
export function entriesOf(list: string, rows: readonly object[]): Entries {
  const entries = rows.flatMap((row, index) =>
    Object.entries(row).flatMap(([name, value]): [string, string][] => {
      const at = `${list}.${index}.${name}`;
      if (value === null) return [];
      if (isPairs(value)) return [[at, pairsText(value)]];
      if (!Array.isArray(value)) return [[at, String(value)]];
      const isOfRows = value.some((one) => typeof one === 'object');
      return isOfRows ? Object.entries(entriesOf(at, value)) : [[at, value.join('\n')]];
    }),
  );
  return { ...Object.fromEntries(entries), [`${list}.length`]: String(rows.length) };
}

function isPairs(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !('isLosslessNumber' in value);
}

/** Texts by name as they are entered. */
function pairsText(pairs: Record<string, unknown>): string {
  return Object.entries(pairs)
    .map(([name, text]) => `${name}=${text ?? ''}`)
    .join('\n');
}
