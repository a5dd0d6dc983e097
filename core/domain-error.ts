export type DomainErrorCode = 'invalid' | 'contradiction' | 'not_found' | 'conflict' | 'forbidden' | 'unavailable';

/** Messages by field, as the API answers them with 422: `{'components.0.free_tier': ['Must not be negative.']}`. */
export type FieldMessages = Record<string, string[]>;

/** Characters of a field's name, or of a name within its path, that a refusal repeats (spec/api#errors). */
const MAX_NAME_CHARACTERS = 256;

/** Fields that a refusal names; the operator may set another number (operations/configuration, `MAX_NAMED_FIELDS`). */
let maxNamedFields = 100;

/** Sets how many fields a refusal of this process names. */
export function nameAtMost(fields: number): void {
  maxNamedFields = fields;
}

/** The name of a field by its path, `components.0.free_tier`. Cuts names that only a caller can have made. */
export function fieldName(...path: PropertyKey[]): string {
  return path.map((part) => cut(String(part))).join('.');
}

function cut(name: string): string {
  // The cut may have left half of a character.
  return name.length > MAX_NAME_CHARACTERS ? name.slice(0, MAX_NAME_CHARACTERS).toWellFormed() : name;
}

/** Collects the bad fields of one call, as many as a refusal names: a body of 1 MiB may have 100,000 of them. */
export class BadFields {
  /** Without a prototype: a field may have any name. */
  readonly messages: FieldMessages = Object.create(null);
  #count = 0;

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  get isFull(): boolean {
    return this.#count >= maxNamedFields;
  }

  add(name: string, message: string): void {
    const messages = this.messages[name];
    if (messages) {
      if (!messages.includes(message)) messages.push(message);
      return;
    }
    if (this.isFull) return;
    this.#count += 1;
    this.messages[name] = [message];
  }
}

/**
 * A refusal the caller is told about (never a bug: those are plain errors and become 500).
 * Mapped to HTTP once (spec/api#errors: invalid 422, contradiction 400, not_found 404, conflict 409, forbidden 403, unavailable 503) and to a Temporal failure once. This file is imported by the workflow sandbox: keep it free of imports.
 */
export class DomainError extends Error {
  override readonly name = 'DomainError';
  readonly code: DomainErrorCode;
  /** Only with `invalid`. */
  readonly fields?: FieldMessages;
  /** The `code` of the HTTP answer, if one code of ours covers several refusals that a program tells apart. */
  readonly reason?: string;

  constructor(code: DomainErrorCode, message: string, fields?: FieldMessages, reason?: string) {
    super(message);
    this.code = code;
    if (fields !== undefined) this.fields = fields;
    if (reason !== undefined) this.reason = reason;
  }
}

/** 404. `what` reads in "No such customer." */
export function notFound(what: string): DomainError {
  return new DomainError('not_found', `No such ${what}.`);
}

/** 409. The message names the current state (spec/api#errors); `reason` is the answer's `code` instead of `conflict`. */
export function conflict(message: string, reason?: string): DomainError {
  return new DomainError('conflict', message, undefined, reason);
}

/** 422, every bad field at once, up to as many as a refusal names. */
export function invalid(fields: FieldMessages): DomainError {
  const named = namedFields(fields);
  const text = Object.entries(named).map(([field, messages]) => `${field}: ${messages.join(' ')}`);
  return new DomainError('invalid', text.join('; '), named);
}

/** The first of `fields`, as many as a refusal names. */
export function namedFields(fields: FieldMessages): FieldMessages {
  const entries = Object.entries(fields);
  return entries.length > maxNamedFields ? Object.fromEntries(entries.slice(0, maxNamedFields)) : fields;
}

/** What is told of several refusals, of which there is at least one: all fields that are bad, else the first. */
export function refusalOf(refusals: readonly DomainError[]): DomainError {
  const bad = refusals.flatMap(({ fields }) => (fields ? [fields] : []));
  const [first] = refusals;
  if (!first) throw new Error('nothing is refused');
  return bad.length > 0 ? invalid(Object.assign({}, ...bad)) : first;
}

/** 400: options that contradict each other. */
export function contradiction(message: string): DomainError {
  return new DomainError('contradiction', message);
}

/** 403: the key or the account's mode does not allow it. */
export function forbidden(message: string): DomainError {
  return new DomainError('forbidden', message);
}

/** 503: a store we need is away; the same call may succeed later. */
export function unavailable(message: string): DomainError {
  return new DomainError('unavailable', message);
}

/** 503: the share of the caller's account is taken. The same call may succeed a moment later. */
export function tooManyAtOnce(message: string): DomainError {
  return new DomainError('unavailable', message, undefined, 'too_many_at_once');
}

/** 503: other calls hold a row that this call needs for longer than it may wait. */
export function rowLocked(): DomainError {
  return new DomainError(
    'unavailable',
    'Other calls are changing the same record. Try again.',
    undefined,
    'row_locked',
  );
}
