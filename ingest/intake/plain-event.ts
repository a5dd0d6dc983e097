import { isUtf8 } from 'node:buffer';
import { instantFromIso } from '../../core/instants.ts';
import { parseExactNumber } from '../../core/property-numbers.ts';
import type { Piece } from '../../stream/fingerprint.ts';
import type { EventPieces, PropertyPieces } from '../../stream/usage-row.ts';
import { MAX_ID_CHARACTERS, MAX_KEY_CHARACTERS, MAX_STRING_CHARACTERS } from '../usage-event-input.ts';

const [QUOTE, BACKSLASH, COMMA, COLON, MINUS, POINT, OPEN, CLOSE] = [0x22, 0x5c, 0x2c, 0x3a, 0x2d, 0x2e, 0x7b, 0x7d];
const [SPACE, DELETE, ZERO, NINE, LETTER_T, LETTER_F] = [0x20, 0x7f, 0x30, 0x39, 0x74, 0x66];

/** With more, to look for one that stands twice would cost more than is saved. */
const MAX_PROPERTIES = 16;

/** So many digits are exact, whoever reads them. */
const MAX_DIGITS = 15;

/** Bytes at which a string ends, or is for somebody else: what has to be escaped, escapes, and DEL, which no id may have. */
const ENDS_TEXT = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte < SPACE || byte === QUOTE || byte === BACKSLASH || byte === DELETE ? 1 : 0,
);

const newProperty = (): PropertyPieces => ({ key: { start: 0, end: 0 }, value: { start: 0, end: 0 } });

/**
 * Reads the JSON of an event as nearly every sender writes it, without making strings and objects of it, which takes several times as long.
 * It decides no rule: it takes a part of what is good by all of them, and leaves everything else, good or bad, to usage-event-input.ts
 * (test/ingest/intake/plain-event.test.ts holds it to that). So texts have no escapes, names and ids are of printable ASCII, numbers are
 * short, and the names of properties begin with no digit, since JavaScript would put such first.
 */
export class PlainEventReader implements EventPieces {
  bytes: Buffer = Buffer.alloc(0);
  readonly eventName: Piece = { start: 0, end: 0 };
  readonly customerId: Piece = { start: 0, end: 0 };
  readonly idempotencyId: Piece = { start: 0, end: 0 };
  timeCreated = Number.NaN;
  readonly numbers: PropertyPieces[] = [];
  readonly strings: PropertyPieces[] = [];
  readonly booleans: PropertyPieces[] = [];

  readonly #properties = Array.from({ length: MAX_PROPERTIES }, newProperty);
  #count = 0;
  #hasProperties = false;
  #at = 0;
  #end = 0;
  /** Where the string that was read last stands, and all of its bytes together: above ASCII where one is. */
  #start = 0;
  #stop = 0;
  #bits = 0;
  /** Likewise of all strings. */
  #allBits = 0;

  /** Whether the event whose JSON stands there is plain. If so its pieces are here until the next one is read. */
  read(bytes: Buffer, start: number, end: number): boolean {
    this.bytes = bytes;
    this.#at = start;
    this.#end = end;
    this.#count = 0;
    this.#hasProperties = false;
    this.#allBits = 0;
    this.eventName.end = 0;
    this.customerId.end = 0;
    this.idempotencyId.end = 0;
    this.timeCreated = Number.NaN;
    this.numbers.length = 0;
    this.strings.length = 0;
    this.booleans.length = 0;
    if (!this.#takes(OPEN)) return false;
    do {
      if (!this.#field()) return false;
    } while (this.#takes(COMMA));
    if (!this.#takes(CLOSE)) return false;
    this.#skipSpace();
    // What was read behind the end is of something else.
    if (this.#at !== end || Number.isNaN(this.timeCreated)) return false;
    if (this.eventName.end === 0 || this.customerId.end === 0 || this.idempotencyId.end === 0) return false;
    return this.#allBits < 0x80 || isUtf8(bytes.subarray(start, end));
  }

  #field(): boolean {
    if (!this.#text() || this.#bits >= 0x80) return false;
    const [start, stop] = [this.#start, this.#stop];
    if (!this.#takes(COLON)) return false;
    switch (stop - start) {
      case 10:
        if (this.#is('event_name', start)) return this.#name(this.eventName);
        return this.#is('properties', start) && this.#readProperties();
      case 11:
        return this.#is('customer_id', start) && this.#name(this.customerId);
      case 12:
        return this.#is('time_created', start) && this.#time();
      case 14:
        return this.#is('idempotency_id', start) && this.#name(this.idempotencyId);
      default:
        return false;
    }
  }

  /** A name or an id, which stands once and begins with no space and no point: what is blank, and `.` and `..`, do. */
  #name(piece: Piece): boolean {
    if (piece.end !== 0 || !this.#text() || this.#bits >= 0x80) return false;
    piece.start = this.#start;
    piece.end = this.#stop;
    const size = this.#stop - this.#start;
    const first = this.bytes[this.#start];
    return size > 0 && size <= MAX_ID_CHARACTERS && first !== SPACE && first !== POINT;
  }

  #time(): boolean {
    if (!Number.isNaN(this.timeCreated) || !this.#text() || this.#stop - this.#start > MAX_ID_CHARACTERS) return false;
    const instant = instantFromIso(this.bytes.toString('latin1', this.#start, this.#stop));
    if (instant === null) return false;
    this.timeCreated = instant;
    return true;
  }

  #readProperties(): boolean {
    if (this.#hasProperties || !this.#takes(OPEN)) return false;
    this.#hasProperties = true;
    if (this.#takes(CLOSE)) return true;
    do {
      if (!this.#property()) return false;
    } while (this.#takes(COMMA));
    return this.#takes(CLOSE);
  }

  #property(): boolean {
    const property = this.#properties[this.#count];
    if (!property || !this.#text()) return false;
    const { key } = property;
    key.start = this.#start;
    key.end = this.#stop;
    const size = key.end - key.start;
    if (size === 0 || size > MAX_KEY_CHARACTERS || isDigit(this.bytes[key.start]) || this.#isRepeated(key))
      return false;
    this.#count += 1;
    if (!this.#takes(COLON)) return false;
    this.#skipSpace();
    const first = this.bytes[this.#at];
    if (first === QUOTE) return this.#stringValue(property);
    if (first === LETTER_T) return this.#word('true', property);
    if (first === LETTER_F) return this.#word('false', property);
    return this.#number(property);
  }

  #stringValue(property: PropertyPieces): boolean {
    if (!this.#text() || this.#stop - this.#start > MAX_STRING_CHARACTERS) return false;
    const { value } = property;
    value.start = this.#start;
    value.end = this.#stop;
    const first = this.bytes[value.start];
    // It may count as a number as well.
    const isDigitLike = value.end > value.start && (first === MINUS || isDigit(first));
    if (isDigitLike && parseExactNumber(this.bytes.toString('latin1', value.start, value.end)) !== null) return false;
    this.strings.push(property);
    return true;
  }

  #word(word: string, property: PropertyPieces): boolean {
    if (!this.#is(word, this.#at)) return false;
    property.value.start = this.#at;
    this.#at += word.length;
    property.value.end = this.#at;
    this.booleans.push(property);
    return true;
  }

  /** As JSON has them, without an exponent. */
  #number(property: PropertyPieces): boolean {
    const { bytes } = this;
    const { value } = property;
    value.start = this.#at;
    if (bytes[this.#at] === MINUS) this.#at += 1;
    const integer = this.#at;
    while (isDigit(bytes[this.#at])) this.#at += 1;
    let digits = this.#at - integer;
    if (digits === 0 || (digits > 1 && bytes[integer] === ZERO)) return false;
    if (bytes[this.#at] === POINT) {
      this.#at += 1;
      const fraction = this.#at;
      while (isDigit(bytes[this.#at])) this.#at += 1;
      if (this.#at === fraction) return false;
      digits += this.#at - fraction;
    }
    value.end = this.#at;
    if (digits > MAX_DIGITS) return false;
    this.numbers.push(property);
    return true;
  }

  #isRepeated(key: Piece): boolean {
    const { bytes } = this;
    const size = key.end - key.start;
    for (let i = 0; i < this.#count; i++) {
      const other = (this.#properties[i] as PropertyPieces).key;
      if (other.end - other.start !== size) continue;
      let same = 0;
      while (same < size && bytes[key.start + same] === bytes[other.start + same]) same += 1;
      if (same === size) return true;
    }
    return false;
  }

  /** Reads a string that has no escapes. */
  #text(): boolean {
    if (!this.#takes(QUOTE)) return false;
    const { bytes } = this;
    const end = this.#end;
    let at = this.#at;
    let bits = 0;
    this.#start = at;
    for (; at < end; at++) {
      const byte = bytes[at] as number;
      if (ENDS_TEXT[byte] === 1) break;
      bits |= byte;
    }
    if (at >= end || bytes[at] !== QUOTE) return false;
    this.#stop = at;
    this.#at = at + 1;
    this.#bits = bits;
    this.#allBits |= bits;
    return true;
  }

  /** Whether `text`, of ASCII, stands at `start`. */
  #is(text: string, start: number): boolean {
    const { bytes } = this;
    for (let i = 0; i < text.length; i++) if (bytes[start + i] !== text.charCodeAt(i)) return false;
    return true;
  }

  /** Goes behind `byte` where that is next, white space aside. */
  #takes(byte: number): boolean {
    if (this.bytes[this.#at] !== byte) {
      this.#skipSpace();
      if (this.bytes[this.#at] !== byte) return false;
    }
    this.#at += 1;
    return true;
  }

  /** What JSON may have between its tokens. */
  #skipSpace(): void {
    const { bytes } = this;
    let at = this.#at;
    while (at < this.#end && (bytes[at] === 0x20 || bytes[at] === 0x09 || bytes[at] === 0x0a || bytes[at] === 0x0d))
      at += 1;
    this.#at = at;
  }
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= NINE;
}
