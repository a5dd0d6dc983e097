import { randomUUID } from 'node:crypto';
import { now } from '../clock.ts';
import { type FieldErrors, InvalidEventError } from './errors.ts';
import { eventTimeError } from './event-time.ts';
import { numberText } from './number-text.ts';

/** What has happened: as the body of `POST /api/track`, but that id and time may be left out. */
export type UsageEvent = {
  event_name: string;
  customer_id: string;
  /** Up to 100. A number is rounded to 18 decimals; digits that a JavaScript number would lose are sent as a string. */
  properties?: Record<string, string | number | boolean>;
  /** The event counts once by it, for ever; a random UUID where it is left out. */
  idempotency_id?: string;
  /** When it happened: a Date, or a date-time with `Z` or an offset; now where it is left out. */
  time_created?: string | Date;
};

/** An event as a line of the spool, which is what is sent; `id`: its idempotency id. */
export type EventLine = { id: string; line: string };

const FIELDS = new Set(['event_name', 'customer_id', 'idempotency_id', 'time_created', 'properties']);

const MAX_ID_CHARACTERS = 256;
const MAX_PROPERTIES = 100;
const MAX_KEY_CHARACTERS = 256;
const MAX_STRING_CHARACTERS = 4_096;
const NOT_STORABLE = 'Must not contain NUL or a lone surrogate.';

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what an id must not contain
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
/** Text that JSON has as it is, and that nothing is wrong with: nearly all there is. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** Bad fields found so far; made only when there is one. */
type Findings = { errors: FieldErrors | undefined };

/**
 * The line of an event that the service will take whatever its clock says: all rules of spec/events#fields hold that need
 * neither a clock nor the service.
 * @throws InvalidEventError naming every bad field at once
 */
export function eventLine(event: UsageEvent): EventLine {
  if (typeof event !== 'object' || event === null || Array.isArray(event)) {
    throw new InvalidEventError({ event: ['Must be a JSON object.'] });
  }
  const findings: Findings = { errors: undefined };
  for (const field in event) if (!FIELDS.has(field)) report(findings, shortName(field), 'Unknown field.');
  const { event_name, customer_id, idempotency_id, time_created, properties } = event;
  const name = readText(event_name, 'event_name', findings);
  if (name !== '' && name.trim() === '') report(findings, 'event_name', 'This field may not be blank.');
  const customer = readId(customer_id, 'customer_id', findings);
  const id = idempotency_id === undefined ? randomUUID() : readId(idempotency_id, 'idempotency_id', findings);
  const time = time_created === undefined ? isoOfNow() : readTime(time_created, findings);
  const values = properties === undefined ? '' : readProperties(properties, findings);
  if (findings.errors) throw new InvalidEventError(findings.errors);
  const line = `{"event_name":${quoted(name)},"customer_id":${quoted(customer)},"idempotency_id":${quoted(id)},"time_created":"${time}","properties":{${values}}}\n`;
  return { id, line };
}

/** Characters of a name that an error repeats, as the service does (spec/api#errors). */
const MAX_TOLD_CHARACTERS = 256;

function shortName(name: string): string {
  return name.length > MAX_TOLD_CHARACTERS ? name.slice(0, MAX_TOLD_CHARACTERS).toWellFormed() : name;
}

function report(findings: Findings, field: string, message: string) {
  // Without a prototype: a field may have any name.
  const errors: FieldErrors = findings.errors ?? Object.create(null);
  findings.errors = errors;
  const messages = errors[field];
  if (messages) messages.push(message);
  else errors[field] = [message];
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

let lastMs = Number.NaN;
let lastIso = '';

/** Most events of a busy app share their millisecond with the one before. */
function isoOfNow(): string {
  const ms = now();
  if (ms !== lastMs) {
    lastIso = new Date(ms).toISOString();
    lastMs = ms;
  }
  return lastIso;
}

function readTime(value: unknown, findings: Findings): string {
  const given = value instanceof Date && !Number.isNaN(value.getTime()) ? value.toISOString() : value;
  const text = value instanceof Date && given === value ? String(value) : readText(given, 'time_created', findings);
  const message = text === '' ? undefined : eventTimeError(text);
  if (message) report(findings, 'time_created', message);
  return text;
}

/** The members of the JSON object, without its braces. */
function readProperties(properties: unknown, findings: Findings): string {
  if (properties === null) report(findings, 'properties', 'This field may not be null.');
  else if (typeof properties !== 'object' || Array.isArray(properties)) {
    report(findings, 'properties', 'Must be an object.');
  } else return readMembers(properties as Record<string, unknown>, findings);
  return '';
}

function readMembers(properties: Record<string, unknown>, findings: Findings): string {
  let members = '';
  let count = 0;
  for (const key of Object.keys(properties)) {
    const value = properties[key];
    // As JSON has it: what is undefined is left out.
    if (value === undefined) continue;
    count += 1;
    const text = memberText(key, value, findings);
    members = members === '' ? text : `${members},${text}`;
  }
  if (count > MAX_PROPERTIES) report(findings, 'properties', `Must have at most ${MAX_PROPERTIES} keys.`);
  return members;
}

function memberText(key: string, value: unknown, findings: Findings): string {
  let message: string | undefined;
  if (key === '' || isLonger(key, MAX_KEY_CHARACTERS)) {
    message = `A property's name must have 1 to ${MAX_KEY_CHARACTERS} characters.`;
  } else if (!isStorable(key)) message = 'Must not be named with NUL or a lone surrogate.';
  else {
    const text = valueText(value);
    if (text !== undefined) return `${quoted(key)}:${text}`;
    message = valueError(value);
  }
  report(findings, `properties.${shortName(key)}`, message);
  return '';
}

/** A value as JSON; undefined where it can't be one. */
function valueText(value: unknown): string | undefined {
  if (typeof value === 'string') {
    return isLonger(value, MAX_STRING_CHARACTERS) || !isStorable(value) ? undefined : quoted(value);
  }
  if (typeof value === 'number') return numberText(value);
  return typeof value === 'boolean' ? String(value) : undefined;
}

function valueError(value: unknown): string {
  if (typeof value === 'string') {
    return isLonger(value, MAX_STRING_CHARACTERS) ? 'Must have at most 4,096 characters.' : NOT_STORABLE;
  }
  if (typeof value === 'number') return 'Must be a number of at most 20 integer digits and 18 decimals.';
  return value === null ? 'This field may not be null.' : 'Must be a string, a number or a boolean.';
}

function quoted(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}

function isStorable(text: string): boolean {
  return PLAIN.test(text) || (text.isWellFormed() && !text.includes('\0'));
}

/** Characters are code points; text no longer than the limit in UTF-16 units needs no counting. */
function isLonger(text: string, limit: number): boolean {
  return text.length > limit && [...text].length > limit;
}
