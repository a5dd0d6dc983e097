import { isDecimal, toPlain } from '../core/decimal.ts';
import { BadFields, fieldName, invalid } from '../core/domain-error.ts';
import { isFields } from '../core/fields.ts';
import { type Instant, instantFromIso } from '../core/instants.ts';
import { parseExactNumber } from '../core/property-numbers.ts';
import type { Caller } from '../runtime/http/api-key.ts';
import { isStorable, NOT_STORABLE, NOT_STORABLE_NAME } from '../runtime/http/body.ts';
import type { UsageEvent } from '../stream/usage-event.ts';
import { plainNumber } from './parse-body.ts';

const FIELDS = new Set(['event_name', 'customer_id', 'idempotency_id', 'time_created', 'properties']);

export const MAX_ID_CHARACTERS = 256;
export const MAX_PROPERTIES = 100;
export const MAX_KEY_CHARACTERS = 256;
export const MAX_STRING_CHARACTERS = 4_096;

const EARLIEST = Date.UTC(2000, 0, 1);
/** How far a live account's event may lie ahead of our clock (spec/events#fields). */
const AHEAD_MS = 24 * 3_600_000;
/** The end of what ClickHouse's times hold: all the future that a test account has. */
const LATEST = Date.UTC(2299, 11, 31, 23, 59, 59, 999);

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what an id must not contain
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** Bad fields found so far; made only when there is one, since nearly every event is good. */
export type Findings = { bad: BadFields | undefined };

/**
 * The usage event of a parsed body, by spec/events#fields and spec/api#bodies: complete, so that nothing behind the edge may refuse it.
 * @throws DomainError `invalid` (422) naming every bad field at once.
 */
export function usageEventFromBody(body: Record<string, unknown>, caller: Caller, now: Instant): UsageEvent {
  const findings = noFindings();
  for (const field in body) if (!FIELDS.has(field)) report(findings, fieldName(field), 'Unknown field.');
  const eventName = readText(body.event_name, 'event_name', findings);
  if (eventName.trim() === '' && eventName !== '') report(findings, 'event_name', 'This field may not be blank.');
  const customerId = readId(body.customer_id, 'customer_id', findings);
  const idempotencyId = readId(body.idempotency_id, 'idempotency_id', findings);
  const timeCreated = readTime(body.time_created, caller.mode, now, findings);
  const properties = readProperties(body.properties, findings);
  if (findings.bad) throw invalid(findings.bad.messages);
  const { accountId } = caller;
  return { accountId, customerId, eventName, timeCreated, idempotencyId, ...properties, receivedAt: now };
}

export const noFindings = (): Findings => ({ bad: undefined });

/** Adds a message to those of a field. */
export function report(findings: Findings, field: string, message: string) {
  findings.bad ??= new BadFields();
  findings.bad.add(field, message);
}

/** A required string of 1 to 256 characters; '' where it is not one. */
function readText(value: unknown, field: string, findings: Findings): string {
  let message: string | undefined;
  if (value === undefined) message = 'Required.';
  else if (value === null) message = 'This field may not be null.';
  else if (typeof value !== 'string') message = 'Must be a string.';
  else if (value === '') message = 'This field may not be blank.';
  else if (isLonger(value, MAX_ID_CHARACTERS)) message = `Must have at most ${MAX_ID_CHARACTERS} characters.`;
  else if (!isStorable(value)) message = NOT_STORABLE;
  else return value;
  report(findings, field, message);
  return '';
}

function readId(value: unknown, field: string, findings: Findings): string {
  const id = readText(value, field, findings);
  if (id !== '' && id.trim() === '') report(findings, field, 'This field may not be blank.');
  if (CONTROL.test(id)) report(findings, field, 'Must not contain control characters.');
  if (id === '.' || id === '..') report(findings, field, 'Must not be "." or "..".');
  return id;
}

function readTime(value: unknown, mode: Caller['mode'], now: Instant, findings: Findings): Instant {
  const text = readText(value, 'time_created', findings);
  if (text === '') return 0;
  const instant = instantFromIso(text);
  if (instant === null) report(findings, 'time_created', 'Must be an ISO 8601 date-time with Z or an offset.');
  const flaw = instant === null ? undefined : timeFlaw(instant, mode, now);
  if (flaw) report(findings, 'time_created', flaw);
  return instant ?? 0;
}

/** What is wrong with when an event happened, if anything. */
export function timeFlaw(instant: Instant, mode: Caller['mode'], now: Instant): string | undefined {
  if (instant < EARLIEST) return 'Must not be before 2000-01-01.';
  if (mode === 'live' && instant > now + AHEAD_MS) return 'Must not be more than 24 hours ahead.';
  return instant > LATEST ? 'Must not be after 2299-12-31, the last day that can be stored.' : undefined;
}

type Properties = Pick<UsageEvent, 'numbers' | 'strings' | 'booleans'>;

function readProperties(value: unknown, findings: Findings): Properties {
  const properties: Properties = { numbers: {}, strings: {}, booleans: {} };
  if (value === undefined) return properties;
  if (value === null) report(findings, 'properties', 'This field may not be null.');
  else if (!isFields(value)) report(findings, 'properties', 'Must be an object.');
  else {
    let count = 0;
    for (const key in value) {
      count += 1;
      readProperty(properties, key, value[key], findings);
    }
    if (count > MAX_PROPERTIES) report(findings, 'properties', `Must have at most ${MAX_PROPERTIES} keys.`);
  }
  return properties;
}

function readProperty(properties: Properties, key: string, value: unknown, findings: Findings) {
  const message =
    key === '' || isLongName(key)
      ? `A property's name must have 1 to ${MAX_KEY_CHARACTERS} characters.`
      : isStorable(key)
        ? storeProperty(properties, key, value)
        : NOT_STORABLE_NAME;
  if (message) report(findings, fieldName('properties', key), message);
}

/** Whether a property's name is longer than it may be. */
export function isLongName(name: string): boolean {
  return isLonger(name, MAX_KEY_CHARACTERS);
}

/** Puts a value where it belongs; says what is wrong with one that belongs nowhere. */
function storeProperty(properties: Properties, key: string, value: unknown): string | undefined {
  if (typeof value === 'string') {
    if (isLonger(value, MAX_STRING_CHARACTERS)) return 'Must have at most 4,096 characters.';
    if (!isStorable(value)) return NOT_STORABLE;
    put(properties.strings, key, value);
    const number = isDigitLike(value) ? parseExactNumber(value) : null;
    if (number) put(properties.numbers, key, toPlain(number));
    return undefined;
  }
  if (typeof value === 'number' || isDecimal(value)) {
    const number = plainNumber(value);
    if (number === undefined) return 'Must be a number of at most 20 integer digits and 18 decimals.';
    put(properties.numbers, key, number);
    return undefined;
  }
  if (typeof value === 'boolean') {
    put(properties.booleans, key, value);
    return undefined;
  }
  return value === null ? 'This field may not be null.' : 'Must be a string, a number or a boolean.';
}

/** `__proto__` is a name like any other. */
export function put<T>(record: Record<string, T>, key: string, value: T) {
  if (key !== '__proto__') record[key] = value;
  else Object.defineProperty(record, key, { value, enumerable: true, configurable: true, writable: true });
}

/** A JSON number starts with a digit or a minus; saves most strings the closer look. */
function isDigitLike(text: string): boolean {
  const first = text.charCodeAt(0);
  return first === 45 || (first >= 48 && first <= 57);
}

/** Characters are code points; text no longer than the limit in UTF-16 units needs no counting. */
function isLonger(text: string, limit: number): boolean {
  return text.length > limit && [...text].length > limit;
}
