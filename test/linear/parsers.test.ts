import { BlockList } from 'node:net';
import { expect, test } from 'vitest';
import { exactOf, parseExact } from '../../console/api/exact.ts';
import { isLocalDate } from '../../core/calendar.ts';
import { findCurrency } from '../../core/currencies.ts';
import { groupThousands } from '../../core/group-thousands.ts';
import { instantFromIso, isTimeZone } from '../../core/instants.ts';
import { parseExactNumber, parseRoundedNumber } from '../../core/property-numbers.ts';
import { remembered } from '../../core/remembered.ts';
import { SEARCH_OPTIONS } from '../../docs/site/client/search-options.ts';
import { eventsOfJson, eventsOfLines } from '../../ingest/batch/read-batch.ts';
import { attributesOfHeaders } from '../../ingest/cloudevents/binary-mode.ts';
import { isJsonType, mapCloudEvent } from '../../ingest/cloudevents/cloud-event.ts';
import { encodingOf } from '../../ingest/content-encoding.ts';
import type { EventInput } from '../../ingest/intake/event-input.ts';
import { readEvent } from '../../ingest/intake/read-event.ts';
import { mapLagoEvent } from '../../ingest/lago/lago-event.ts';
import { parseTrackBody, parseWithDigits } from '../../ingest/parse-body.ts';
import { readPlainPost } from '../../ingest/plain-post.ts';
import { inputOf } from '../../ingest/sender-values/mapped-event.ts';
import { isObject } from '../../ingest/sender-values/read-event.ts';
import { instantOfDateTime, instantOfUnixSeconds } from '../../ingest/sender-values/times.ts';
import { usageEventFromBody } from '../../ingest/usage-event-input.ts';
import { isPublicAddress } from '../../outbound/public-address.ts';
import { canonicalJson, parseExactJson } from '../../runtime/exact-json.ts';
import { type Caller, sentKey } from '../../runtime/http/api-key.ts';
import { foreignRequestId } from '../../runtime/http/app.ts';
import { isStorable } from '../../runtime/http/body.ts';
import { flawOf } from '../../runtime/http/broken-requests.ts';
import { connectingAddress, trustedProxiesFromText } from '../../runtime/http/connecting-address.ts';
import { readQuery } from '../../runtime/http/query.ts';
import { tellablePath } from '../../runtime/http/request-log.ts';
import { parseJson } from '../../runtime/parse-json.ts';
import { eventLine, type UsageEvent } from '../../sdk/typescript/source/meter/event-line.ts';
import { eventTimeError } from '../../sdk/typescript/source/meter/event-time.ts';
import { BODIES, expectLinear, HEADERS, type Sizes } from './cpu-time.ts';
import { between, JSON_TEXTS, NUMBERS, numbered, repeated, type Shape, TEXTS } from './shapes.ts';

const NOW = Date.UTC(2026, 10, 23);
const CALLER: Caller = { accountId: 'acct_1', keyId: 'key_1', mode: 'test', rateLimit: null, scopes: ['events:write'] };
const SENDER = { caller: CALLER, receivedAt: NOW, partitions: 4 };
const PROXIES = trustedProxiesFromText('10.0.0.0/8,::1') ?? new BlockList();

const LONG_FRACTION = between('2026-11-20T10:00:00.', '0', 'Z');
const PATHS = { ...TEXTS, 'encoded dots': repeated('/%2e%2e'), 'segments that begin with a dot': repeated('/.a') };
const ADDRESSES = { ...TEXTS, proxies: repeated('10.0.0.1,'), networks: repeated('10.0.0.0/8,') };
const QUERIES = {
  ...TEXTS,
  parameters: numbered((i) => `p${i}=1&`, '', ''),
  'one parameter': repeated('page=1&'),
  names: repeated('a&'),
};

type Parser = [name: string, parse: (text: string) => unknown, shapes: Record<string, Shape>];

/** What parses a field of a body. */
const OF_FIELDS: Parser[] = [
  ['an exact number', parseExactNumber, { ...NUMBERS, ...TEXTS }],
  ['a rounded number', parseRoundedNumber, { ...NUMBERS, ...TEXTS }],
  ['Unix seconds', instantOfUnixSeconds, { ...NUMBERS, ...TEXTS }],
  ['a number in a form', exactOf, { ...NUMBERS, ...TEXTS }],
  ['the digits of a document', groupThousands, { nines: repeated('9') }],
  ['a date', isLocalDate, TEXTS],
  ['a date-time', instantFromIso, { ...TEXTS, 'a long fraction': LONG_FRACTION }],
  ['a date-time of a sender', instantOfDateTime, { ...TEXTS, 'a long fraction': LONG_FRACTION }],
  ['a date-time in the SDK', eventTimeError, { ...TEXTS, 'a long fraction': LONG_FRACTION }],
  ['a time zone', isTimeZone, TEXTS],
  ['a currency', findCurrency, TEXTS],
  ['text to be stored', isStorable, TEXTS],
  ['a search of the documentation', (text) => SEARCH_OPTIONS.tokenize?.(text), TEXTS],
];

/** What parses a body of JSON. */
const OF_BODIES: Record<string, Parser[1]> = {
  JSON: parseJson,
  'exact JSON, and writing it': (text) => canonicalJson(parseExactJson(text)),
  'JSON in the console': parseExact,
  'an event': (text) => usageEventFromBody(parseTrackBody(text), CALLER, NOW),
  properties: (text) => usageEventFromBody(parseTrackBody(withProperties(text)), CALLER, NOW),
  'an event in the SDK': (text) => eventLine(JSON.parse(withProperties(text)) as UsageEvent),
  'a CloudEvent': cloudEvent,
  "Lago's event": lagoEvent,
  'events of a body': (text) => readAll(eventsOfJson(Buffer.from(text))),
  'events of lines': (text) => readAll(eventsOfLines(Buffer.from(text))),
  'one event of a body': (text) => readAll(eventsOfJson(Buffer.from(withEvents(text)))),
};

/** What parses headers and addresses. */
const OF_HEADERS: Parser[] = [
  ['attributes in headers', (text) => attributesOfHeaders({ 'ce-id': text, 'ce-source': `"${text}"` }), TEXTS],
  ['a media type', isJsonType, { ...TEXTS, plus: repeated('a/a+') }],
  ['a content encoding', encodingOf, TEXTS],
  ['a packet', (text) => readPlainPost(packetOf(text)), { ...TEXTS, headers: repeated('a: b\r\n') }],
  ['a key', (text) => sentKey(undefined, `Bearer ${text}`), TEXTS],
  ['a request id', foreignRequestId, TEXTS],
  ['a host', (host) => flawOf({ url: '/', headers: { host }, httpVersion: '1.1' }), TEXTS],
  ['a path', (text) => flawOf({ url: `/${text}`, headers: { host: 'a' }, httpVersion: '1.1' }), PATHS],
  ['a path in the log', (text) => tellablePath(`/${text}`), PATHS],
  ['forwarded addresses', (text) => connectingAddress('10.0.0.1', text, PROXIES), ADDRESSES],
  ['trusted proxies', trustedProxiesFromText, ADDRESSES],
  ['a query', (text) => readQuery(new URLSearchParams(text), ['page']), QUERIES],
  ['a public address', isPublicAddress, TEXTS],
];

test.each(OF_FIELDS)('%s takes linear time', (_name, parse, shapes) => {
  for (const [name, shape] of Object.entries(shapes)) expectLinear(name, parse, shape, BODIES);
});

test.each(OF_HEADERS)('%s takes linear time', (_name, parse, shapes) => {
  for (const [name, shape] of Object.entries(shapes)) expectLinear(name, parse, shape, HEADERS);
});

test.each(Object.entries(JSON_TEXTS))('a body takes linear time: %s', (_name, shape) => {
  const made = remembered(shape);
  for (const [name, parse] of Object.entries(OF_BODIES)) expectLinear(name, parse, made, BODIES);
});

test.each<[string, (text: string) => unknown, Shape, Sizes]>([
  ['a pattern that starts again at each zero', (text) => text.replace(/0+$/, ''), LONG_FRACTION, BODIES],
  ['a list that is searched for each item', distinctItems, numbered(String, '', ''), HEADERS],
])('%s is found out', (what, quadratic, shape, sizes) => {
  expect(() => expectLinear(what, quadratic, shape, sizes)).toThrow(`${what}: CPU milliseconds`);
});

function distinctItems(text: string): string[] {
  const distinct: string[] = [];
  for (const item of text.split(',')) if (!distinct.includes(item)) distinct.push(item);
  return distinct;
}

const FIELDS = '"event_name":"call","customer_id":"acme","idempotency_id":"e-1","time_created":"2026-11-20T10:00:00Z"';

function withProperties(json: string): string {
  return `{${FIELDS},"properties":${json}}`;
}

function withEvents(json: string): string {
  return `{"events":[${withProperties(json)}]}`;
}

function packetOf(text: string): Buffer {
  return Buffer.from(`POST /api/track HTTP/1.1\r\n${text}`, 'latin1');
}

function cloudEvent(json: string): unknown {
  const event = { specversion: '1.0', type: 'call', source: 'gateway', id: '1', subject: 'acme' };
  return inputOf(mapCloudEvent({ ...event, data: parseWithDigits(json) }, NOW), CALLER, NOW);
}

function lagoEvent(json: string): unknown {
  const event = { code: 'call', external_customer_id: 'acme', transaction_id: '1' };
  const value = parseWithDigits(json);
  // What it is called with, as its fields and as its properties.
  const all = { ...event, ...(isObject(value) ? value : {}), properties: value };
  return inputOf(mapLagoEvent(all, NOW), CALLER, NOW);
}

function readAll(events: Iterable<EventInput>): void {
  for (const event of events) readEvent(event, SENDER);
}
