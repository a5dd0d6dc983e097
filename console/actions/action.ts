import type { Write } from '../api/client.ts';
import { exactOf, parseExact } from '../api/exact.ts';

/** How a field is entered. An `instant` is entered in UTC; `json` is what has no form of its own. */
export type FieldKind = 'text' | 'number' | 'date' | 'instant' | 'yes_no' | 'choice' | 'choices' | 'json';

/** A field of a body by the API's name; a dotted one stands within another (`billing_address.city`). */
export type Field = {
  name: string;
  kind?: FieldKind;
  options?: readonly (string | { value: string; label: string })[];
  isRequired?: boolean;
  /** What stands there at first; of a change, what stands in the record. */
  initial?: string;
  help?: string;
};

/** A write that a button offers: its dialog has the same name. */
export type Action = {
  name: string;
  call: Pick<Write, 'method' | 'to' | 'path'>;
  fields?: readonly Field[];
  /** What the body has beside the fields. */
  fixed?: Record<string, unknown>;
  /** What it does, where its name does not say it. */
  about?: string;
  /** Cannot be undone. */
  isFinal?: boolean;
};

/** What has been entered, as text, by field. Choices are separated by commas, a yes is `true`. */
export type Entries = Readonly<Record<string, string>>;

/** What stands in a field: what has been entered, or what stood there at first. */
export function enteredIn({ name, initial = '' }: Field, entries: Entries): string {
  return entries[name] ?? initial;
}

/**
 * The body for what has been entered. A change (PATCH) has only what differs from the record, null where it has been emptied; what stands
 * within another is sent with all that stands beside it. Elsewhere what is empty is left out. What is no number where one belongs goes
 * as it is: the API says so at its field.
 */
export function bodyOf({ call, fields = [], fixed }: Action, entries: Entries): Record<string, unknown> {
  const body: Record<string, unknown> = { ...fixed };
  const groups = Map.groupBy(fields, ({ name }) => name.split('.')[0] ?? name);
  for (const [group, own] of groups) {
    const entered = own.map((field) => ({ field, text: enteredIn(field, entries).trim() }));
    const filled = entered.filter(({ text }) => text !== '');
    const isChanged = entered.some(({ field, text }) => text !== (field.initial ?? ''));
    if (call.method === 'patch' ? !isChanged : filled.length === 0) continue;
    if (filled.length === 0) body[group] = null;
    for (const { field, text } of filled) put(body, field.name.split('.'), apiValue(field.kind, text));
  }
  return body;
}

function apiValue(kind: FieldKind = 'text', entered: string): unknown {
  if (kind === 'number') return exactOf(entered) ?? entered;
  if (kind === 'yes_no') return entered === 'true';
  if (kind === 'choices') return entered.split(',');
  if (kind === 'instant') return /Z$/.test(entered) ? entered : `${entered}Z`;
  return kind === 'json' ? jsonOf(entered) : entered;
}

function jsonOf(entered: string): unknown {
  try {
    return parseExact(entered);
  } catch {
    return entered;
  }
}

/** Puts a value at a dotted name; where a part of it is a number, the rest stands in a list. */
function put(into: Record<string, unknown>, [name = '', ...rest]: string[], value: unknown): void {
  if (rest.length === 0) {
    into[name] = value;
    return;
  }
  into[name] ??= /^\d+$/.test(rest[0] ?? '') ? [] : {};
  put(into[name] as Record<string, unknown>, rest, value);
}

/** The errors of a 422 that belong to a field: its own, and those of what stands within it. */
export function errorOf(name: string, errors: Readonly<Record<string, string[]>>): string | undefined {
  const own = Object.entries(errors).filter(([at]) => at === name || at.startsWith(`${name}.`));
  const texts = own.map(([at, messages]) => (at === name ? messages.join(' ') : `${at}: ${messages.join(' ')}`));
  return texts.length === 0 ? undefined : texts.join(' ');
}

/** The errors of a 422 that belong to none of the fields. */
export function otherErrors(fields: readonly Field[], errors: Readonly<Record<string, string[]>>) {
  return Object.fromEntries(
    Object.entries(errors).filter(([at]) => !fields.some(({ name }) => at === name || at.startsWith(`${name}.`))),
  );
}
