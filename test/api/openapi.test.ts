import { describe, expect, test } from 'vitest';
import { documentedPath, openApiDocument } from '../../api/openapi/document.ts';
import { OPERATIONS } from '../../api/routes.ts';
import { WEBHOOK_EVENT_TYPES } from '../../billing/webhooks/webhooks.ts';
import { operationsOf } from '../openapi/document.ts';

const document = openApiDocument(OPERATIONS);
const operations = operationsOf(document);
const VERBS = new Set(
  (
    'advance archive attach audit cancel change check complete confirm connect create delete disconnect explain finish list mark pause ' +
    'pay preview receive redeliver replace resume retrieve revoke roll rotate search switch test trace track update verify void'
  ).split(' '),
);
/** What the edge answers itself. */
const EDGE = ['post /api/track', 'post /api/events/batch', 'post /api/v1/events', 'post /api/v1/events/batch'];
/** The state and the signature are the proof (spec/payments#processors). */
const KEYLESS = [
  'get /api/payment-providers/{provider}/callback',
  'post /api/payment-providers/{provider}/callback',
  'post /hooks/{provider}',
];

/** Each of two kinds of senders has its own success; a clock that advances is stopped, which goes on. */
const SEVERAL_SUCCESSES: Record<string, string[]> = {
  'post /api/v1/events': ['200', '204'],
  'delete /api/test-clocks/{test_clock_id}': ['202', '204'],
};

describe('the OpenAPI document (spec/service#documents)', () => {
  test('has every operation, the edge, and what needs no key, under canonical paths only', () => {
    expect(document.openapi).toBe('3.1.0');
    const named = operations.map(({ where }) => where);
    const all = OPERATIONS.map(({ method, path }) => `${method} ${documentedPath(path)}`);
    expect(named.toSorted()).toEqual([...all, ...EDGE, ...KEYLESS].toSorted());
    expect(operations.filter(({ security }) => security?.length === 0).map(({ where }) => where)).toEqual(KEYLESS);
  });

  test.each(operations.filter(({ security }) => !security))(
    '$method $path has a summary, its success and its errors',
    (operation) => {
      expect(operation.summary).toMatch(/^[A-Z].{5,}[^.]$/);
      const codes = Object.keys(operation.responses);
      const isPreviewed = operation.parameters?.some(({ name }) => name === 'preview');
      if (isPreviewed) expect(JSON.stringify(operation.responses[200])).toContain('ChangePreview');
      const ofPreview = isPreviewed && codes.includes('201') ? ['200'] : [];
      const successes = SEVERAL_SUCCESSES[operation.where] ?? [...ofPreview, expect.any(String)];
      expect(codes.filter((code) => code.startsWith('2'))).toEqual(successes);
      expect(codes).toEqual(expect.arrayContaining(['401', '403', '429', '503']));
      if (operation.path.includes('{')) expect(codes).toContain('404');
      if (['post', 'put', 'patch'].includes(operation.method))
        expect(codes).toEqual(expect.arrayContaining(['400', '413', '422']));
    },
  );

  test('describes every event that is sent, with the resource it carries', () => {
    const { webhooks = {} } = document;
    expect(Object.keys(webhooks)).toEqual([...WEBHOOK_EVENT_TYPES]);
    for (const [type, { post }] of Object.entries(webhooks)) {
      // It is no resource of its own.
      if (type === 'chain.head_published') {
        expect(JSON.stringify(post)).toContain('"data":{"type":"object","properties":{"account_id"');
        continue;
      }
      const noun = type.charAt(0).toUpperCase() + type.slice(1, type.indexOf('.'));
      const resource = type === 'price.missing' ? 'HeldUsageRecord' : noun;
      expect(JSON.stringify(post)).toContain(`"data":{"$ref":"#/components/schemas/${resource}"`);
    }
  });

  test('operation ids are unique, and begin with what the operation does', () => {
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    const verbs = new Set(ids.map((id) => /^[a-z]+(?=[A-Z])/.exec(id)?.[0]));
    expect([...verbs].filter((verb) => !VERBS.has(String(verb)))).toEqual([]);
  });

  test('every id in a path is a parameter', () => {
    for (const { path, parameters = [] } of operations) {
      const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      expect(parameters.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
    }
  });

  test('numbers that may be null say so, and a record has all its fields', () => {
    const { Plan } = document.components.schemas;
    expect(Plan?.properties?.components?.items?.properties?.overage_price?.type).toEqual(['number', 'null']);
    // A count stands only beside a large member that is left out (spec/api#large-members).
    const always = Object.keys(Plan?.properties ?? {}).filter((name) => !name.endsWith('_count'));
    expect(Plan?.required?.toSorted()).toEqual(always.toSorted());
  });
});
