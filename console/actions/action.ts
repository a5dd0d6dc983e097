import type { ReactNode } from 'react';
import type { Write } from '../api/client.ts';
import { exactOf } from '../api/exact.ts';
import { type Entries, enteredIn, leafFields, placesIn, rowFields, rowsOf } from './entries.ts';
import { type Field, type FieldKind, isList, isValue, type ListField } from './field.ts';

/** A write that a button offers: its dialog has the same name. */
export type Action = {
  name: string;
  call: Pick<Write, 'method' | 'to' | 'path'>;
  fields?: readonly Field[];
  /** Its fields, where they follow from what has been entered. */
  fieldsFor?: (entered: (name: string) => string) => readonly Field[];
  /** What else the review shows, where the API has no preview of the call itself. */
  review?: (body: Record<string, unknown>) => ReactNode;
  /** What stands in the lists at first; of a change, what stands in the record. */
  entered?: Entries;
  /** What the body has beside the fields. */
  fixed?: Record<string, unknown>;
  /** Which record it is about, where it stands beside the same of others: a row's own name. */
  subject?: string;
  /** What it does, where its name does not say it. */
  about?: string;
  /** Changes a record: what is left as it is stays, what is emptied goes. A PATCH always does. */
  isChange?: boolean;
  /** Cannot be undone. */
  isFinal?: boolean;
};

/**
 * The body for what has been entered. A change has only what differs from the record, null where it has been emptied; what stands
 * within another is sent with all that stands beside it, and a list with all its rows. Elsewhere what is empty is left out. What is no
 * number where one belongs goes as it is: the API says so at its field.
 */
export function bodyOf(
  { call, fields = [], fixed, entered: before = {}, isChange = call.method === 'patch' }: Action,
  entries: Entries,
): Record<string, unknown> {
  const body: Record<string, unknown> = { ...fixed };
  const groups = Map.groupBy(fields.filter(isValue), ({ name }) => name.split('.')[0] ?? name);
  for (const [group, own] of groups) {
    const entered = own.map((field) => ({ field, text: enteredIn(field, entries).trim() }));
    const filled = entered.filter(({ field, text }) => text !== '' || field.kind === 'pairs');
    const differs = entered.some(({ field, text }) => text !== (field.initial ?? ''));
    if (isChange ? !differs : filled.length === 0) continue;
    if (filled.length === 0) body[group] = null;
    for (const { field, text } of filled) put(body, field.name.split('.'), apiValue(field.kind, text));
  }
  for (const list of fields.filter(isList)) {
    if (isChange ? isSame(list, before, entries) : rowsOf(list.name, entries).length === 0) continue;
    put(body, list.name.split('.'), sentAs(list, listOf(list, entries)));
  }
  return body;
}

function isSame({ name }: ListField, before: Entries, after: Entries): boolean {
  const ofList = (entries: Entries) =>
    JSON.stringify(
      Object.entries(entries)
        .filter(([at]) => at.startsWith(`${name}.`))
        .sort(),
    );
  return ofList(before) === ofList(after);
}

function listOf(list: ListField, entries: Entries): Record<string, unknown>[] {
  return rowsOf(list.name, entries).map((row) => {
    const values: Record<string, unknown> = {};
    for (const field of rowFields(list, row, entries)) {
      const path = field.name.slice(row.length + 1).split('.');
      if (isList(field)) {
        if (rowsOf(field.name, entries).length > 0) put(values, path, sentAs(field, listOf(field, entries)));
        continue;
      }
      const text = enteredIn(field, entries).trim();
      if (text !== '' || field.kind === 'pairs') put(values, path, apiValue(field.kind, text));
      else if (field.isNullable) put(values, path, null);
    }
    return values;
  });
}

function apiValue(kind: FieldKind = 'text', entered: string): unknown {
  if (kind === 'number') return exactOf(entered) ?? entered;
  if (kind === 'numbers') return entered.split(',').map((one) => exactOf(one) ?? one.trim());
  if (kind === 'yes_no') return entered === 'true';
  if (kind === 'choices') return entered.split(',');
  if (kind === 'texts') return entered.split('\n');
  if (kind === 'pairs') return entered === '' ? {} : Object.fromEntries(entered.split('\n').map(pairOf));
  if (kind === 'instant') return /Z$/.test(entered) ? entered : `${entered}Z`;
  return entered;
}

/** `model=gpt-5`, and `model=` for null. */
function pairOf(entered: string): [string, string | null] {
  const [name = '', ...rest] = entered.split('=');
  return [name.trim(), rest.join('=').trim() || null];
}

/** A list as it is sent; null instead of an object without any. */
function sentAs({ keyedBy }: ListField, rows: Record<string, unknown>[]): unknown {
  if (keyedBy === undefined) return rows;
  if (rows.length === 0) return null;
  return Object.fromEntries(rows.map(({ [keyedBy]: key = '', ...row }) => [String(key), row]));
}

/** Errors of what is sent as an object, at the rows that they are of. */
export function errorsAtRows(fields: readonly Field[], entries: Entries, errors: Refused): Refused {
  const keyed = fields.filter(isList).filter(({ keyedBy }) => keyedBy !== undefined);
  const renamed = keyed.flatMap(({ name, keyedBy }) =>
    rowsOf(name, entries).map((row) => [`${name}.${entries[`${row}.${keyedBy}`]?.trim()}`, row] as const),
  );
  const placed = (at: string) => {
    const [from, to] = renamed.find(([key]) => at === key || at.startsWith(`${key}.`)) ?? ['', ''];
    return to + at.slice(from.length);
  };
  return Object.fromEntries(Object.entries(errors).map(([at, messages]) => [placed(at), messages]));
}

function put(into: Record<string, unknown>, [name = '', ...rest]: string[], value: unknown): void {
  if (rest.length === 0) {
    into[name] = value;
    return;
  }
  into[name] ??= {};
  put(into[name] as Record<string, unknown>, rest, value);
}

/** What is wrong with each field of a body, as a 422 says it. */
export type Refused = Readonly<Record<string, string[]>>;

/** The errors that belong to a field: its own, and those of what stands within it, which has no field of its own. */
export function errorOf(name: string, errors: Refused): string | undefined {
  const own = Object.entries(errors).filter(([at]) => at === name || at.startsWith(`${name}.`));
  const texts = own.map(([at, messages]) => (at === name ? messages.join(' ') : `${at}: ${messages.join(' ')}`));
  return texts.length === 0 ? undefined : texts.join(' ');
}

/** Whether anything is wrong with what stands at a place, or within it. */
export function isRefused(place: string, errors: Refused): boolean {
  return Object.keys(errors).some((at) => at === place || at.startsWith(`${place}.`));
}

/** The errors that belong to none of the fields, nor to a list or a row of one. */
export function otherErrors(fields: readonly Field[], entries: Entries, errors: Refused): Refused {
  const places = placesIn(fields, entries);
  const leaves = leafFields(fields, entries);
  const isPlaced = (at: string) =>
    places.has(at) || leaves.some(({ name }) => at === name || at.startsWith(`${name}.`));
  return Object.fromEntries(Object.entries(errors).filter(([at]) => !isPlaced(at)));
}
