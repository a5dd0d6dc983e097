import { expect, test } from 'vitest';
import { attributesOfHeaders } from '../../../ingest/cloudevents/binary-mode.ts';
import { contentModeOf } from '../../../ingest/cloudevents/content-mode.ts';

/** Headers of the binary mode (CloudEvents HTTP protocol binding 1.0, 3.1.3). */

test.each([
  ['acme', 'acme'],
  ['caf%C3%A9%20%F0%9F%98%80', 'café 😀'],
  ['Euro%20%E2%82%AC%20%F0%9F%98%80', 'Euro € 😀'],
  ['a%2520b', 'a%20b'],
  ['50%25', '50%'],
  ['"quoted %22 \\"text\\" \\\\"', 'quoted " "text" \\'],
  ['', ''],
])('%s is %s', (header, expected) => {
  expect(attributesOfHeaders({ 'ce-subject': header })).toEqual({ attributes: { subject: expected }, findings: {} });
});

test.each([['50% off'], ['%ff'], ['caf\u00e9'], ['%']])('%s is not percent-encoded', (header) => {
  const { findings } = attributesOfHeaders({ 'ce-subject': header });
  expect({ ...findings.bad?.messages }).toEqual({ subject: [expect.stringContaining('percent-encoded')] });
});

test('only attributes that count are read', () => {
  const headers = {
    'ce-id': '1',
    'ce-data': '{}',
    'ce-data_base64': 'e30=',
    'ce-traceparent': '%',
    'content-type': 'x/y',
  };
  expect(attributesOfHeaders(headers)).toEqual({ attributes: { id: '1' }, findings: {} });
});

test.each([
  ['batch', { 'content-type': 'application/cloudevents-batch+json', 'ce-id': '1' }],
  ['structured', { 'content-type': 'Application/CloudEvents+JSON; charset=UTF-8', 'ce-id': '1' }],
  ['binary', { 'content-type': 'application/json', 'ce-id': '1' }],
  ['binary', { 'content-type': 'text/plain', 'ce-specversion': '1.0' }],
  ['binary', { 'ce-specversion': '1.0' }],
  ['json', { 'content-type': 'application/json;charset=utf-8' }],
] as const)('%s: %j', (mode, headers) => {
  expect(contentModeOf(headers, Buffer.from('{}'))).toBe(mode);
});

test.each([[{}], [{ 'content-type': 'application/x-ndjson' }], [{ 'content-type': 'application/cloudevents+avro' }]])(
  '%j is no mode, with a body',
  (headers) => {
    expect(() => contentModeOf(headers, Buffer.from('{}'))).toThrow('The content type must be');
    expect(contentModeOf(headers, Buffer.alloc(0))).toBe('json');
  },
);
