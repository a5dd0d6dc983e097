import { beforeAll, describe, expect, test } from 'vitest';
import { openApiDocument } from '../../../api/openapi/document.ts';
import { OPERATIONS } from '../../../api/routes.ts';
import { newId } from '../../../core/ids.ts';
import { newAccount } from '../../stack/accounts.ts';
import type { Answer, Api } from '../../stack/api.ts';
import { FIXTURES, type Ids, kindOf, makeRecords, REQUESTS } from '../record-fixtures.ts';

/**
 * Every operation of the OpenAPI document, with each of its ids in turn being one of another account: the answer is the
 * one for an id that does not exist, and has no byte of that account.
 */

/** Ids that need not exist, or that name nothing of an account's. */
const FREE = new Map([
  ['POST /api/track customer_id', 'the customer need not exist yet'],
  ['POST /api/track idempotency_id', 'two accounts may use the same id'],
  ['POST /api/events/batch events.0.customer_id', 'the customer need not exist yet'],
  ['POST /api/events/batch events.0.idempotency_id', 'two accounts may use the same id'],
  ...['/api/v1/events event', '/api/v1/events/batch events.0'].flatMap((place): [string, string][] => [
    [`POST ${place}.transaction_id`, 'two accounts may use the same id'],
    [`POST ${place}.external_customer_id`, 'the customer need not exist yet'],
    [`POST ${place}.external_subscription_id`, 'is taken for a customer, who need not exist yet'],
  ]),
  ['POST /api/plans/preview usage.0.metric_id', 'names one of the components in the body'],
  ['POST /api/customers customer_id', 'the id of a customer to be made'],
  ['POST /api/customers payment_provider_id', 'an id of the processor'],
  ['PATCH /api/customers/{customer_id} payment_provider_id', 'an id of the processor'],
]);
/** Path parameters that are words and not ids. */
const WORDS: Ids = { provider: 'stripe' };
/** Query parameters that name a record without being called an id. */
const NAMES = new Set(['feature_name']);
/** Fields of a plan that are told and, sent back as they were read, mean nothing. */
const TOLD_ONLY = /\.(component_id|feature_id|price_id)$/;

type Slot = { in: 'path' | 'query' | 'body'; name: string };
type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
type Walked = { title: string; method: Method; path: string; slots: Slot[]; isPaged: boolean };

type Schema = { $ref?: string; properties?: Record<string, Schema>; items?: Schema } & Partial<
  Record<'anyOf' | 'oneOf' | 'allOf', Schema[]>
>;
type Described = {
  parameters?: { in: string; name: string }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
};

const document = openApiDocument(OPERATIONS);
const WALKED = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
  Object.entries(methods as Record<string, Described>).map(([method, described]) =>
    walked(method as Method, path, described),
  ),
);
const WITH_IDS = WALKED.flatMap((one) =>
  one.slots.filter((slot) => !FREE.has(`${one.title} ${slot.name}`)).map((slot) => [one.title, slot, one] as const),
);

function walked(method: Method, path: string, { parameters = [], requestBody }: Described): Walked {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name).filter((name) => !(name in WORDS));
  const inQuery = parameters.filter(({ in: at, name }) => at === 'query' && (/_ids?$/.test(name) || NAMES.has(name)));
  const inBody = idFields(requestBody?.content['application/json']?.schema, '');
  const slots: Slot[] = [
    ...inPath.map((name): Slot => ({ in: 'path', name })),
    ...inQuery.map(({ name }): Slot => ({ in: 'query', name })),
    ...[...new Set(inBody)].filter((name) => !TOLD_ONLY.test(name)).map((name): Slot => ({ in: 'body', name })),
  ];
  const isPaged = parameters.some(({ name }) => name === 'page_size');
  return { title: `${method.toUpperCase()} ${path}`, method, path, slots, isPaged };
}

/** The fields of a body whose names say that they hold ids: `components.0.metric_id`. */
function idFields(schema: Schema | undefined, at: string): string[] {
  if (!schema) return [];
  const schemas = document.components?.schemas as Record<string, Schema> | undefined;
  if (schema.$ref) return idFields(schemas?.[schema.$ref.split('/').at(-1) ?? ''], at);
  const inner = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  return [
    ...inner.flatMap((one) => idFields(one, at)),
    ...idFields(schema.items, `${at}0.`),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
      ...(/_ids?$/.test(name) ? [at + name] : []),
      ...idFields(field, `${at}${name}.`),
    ]),
  ];
}

const MARKS = { owner: newId('req'), asker: newId('req') };
let owner: { api: Api; ids: Ids };
let asker: { api: Api; ids: Ids };

beforeAll(async () => {
  const [one, other] = await Promise.all([newAccount(), newAccount()]);
  owner = { api: one.api, ids: await makeRecords(one.api, MARKS.owner) };
  asker = { api: other.api, ids: await makeRecords(other.api, MARKS.asker) };
});

/** Asks with the asker's own ids, but for `slot`, where `id` stands. */
function askWith({ title, method, path, slots }: Walked, slot: Slot, id: string): Promise<Answer> {
  const idAt = ({ in: at, name }: Slot) => (at === slot.in && name === slot.name ? id : asker.ids[kindOf(name)]) ?? '';
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(WORDS[name] ?? idAt({ in: 'path', name })),
  );
  const { query: given = {}, body: makeBody } = REQUESTS[title] ?? {};
  const inQuery = slots.filter((one) => one.in === 'query').map((one): [string, string] => [one.name, idAt(one)]);
  // A feature is named by its id or by its name, not by both.
  const spare = slot.name === 'feature_id' ? 'feature_name' : 'feature_id';
  const query = new URLSearchParams([...Object.entries(given), ...inQuery.filter(([name]) => name !== spare)]);
  const body = makeBody?.(asker.ids, MARKS.asker);
  if (slot.in === 'body') put(body, slot.name, id, title);
  return asker.api[method](`${filled}${query.size > 0 ? `?${query}` : ''}`, body);
}

function put(body: object | undefined, field: string, id: string, title: string): void {
  const parts = field.split('.');
  const last = parts.pop() ?? '';
  const at = parts.reduce<unknown>((inner, part) => (inner as Record<string, unknown> | undefined)?.[part], body);
  if (typeof at !== 'object' || at === null || !(last in at)) {
    throw new Error(`${title} takes ids in ${field}: put a good body with it into REQUESTS (record-fixtures.ts)`);
  }
  Object.assign(at, { [last]: last.endsWith('_ids') ? [id] : id });
}

/** An id of the same form that nothing has. */
function unknownLike(id: string): string {
  const prefix = /^([a-z]+)_[0-9a-z]{26}$/.exec(id)?.[1];
  return prefix ? `${prefix}_${newId('req').slice(4)}` : `nothing-${newId('req')}`;
}

/** The answer without the id that was asked for, and without what differs between any two answers. */
function withoutId(answer: Answer, id: string): string {
  const { request_id: _, as_of: __, ...body } = answer.body;
  return `${answer.status} ${JSON.stringify(body).replaceAll(JSON.stringify(id).slice(1, -1), '<id>')}`;
}

describe("another account's ids", () => {
  test('the walk knows a fixture for every kind of id', () => {
    const kinds = new Set(WITH_IDS.map(([, { name }]) => kindOf(name)));
    const missing = [...kinds].filter((kind) => !(kind in FIXTURES));
    expect(missing, 'put a fixture of these ids into FIXTURES (test/api/record-fixtures.ts)').toEqual([]);
  });

  test.each(WITH_IDS)('%s, %o', async (_title, slot, operation) => {
    const foreign = owner.ids[kindOf(slot.name)] ?? '';
    const unknown = unknownLike(foreign);
    const [answer, toNothing] = [await askWith(operation, slot, foreign), await askWith(operation, slot, unknown)];
    expect(withoutId(answer, foreign)).toBe(withoutId(toNothing, unknown));
    // A question about it is refused as one about nothing; a filter by it finds nothing, an event of it was not received.
    const isEmpty = answer.status === 200 && (Number(answer.body.count) === 0 || 'ids_not_found' in answer.body);
    expect([isEmpty || answer.status, answer.text]).toEqual([isEmpty || 404, answer.text]);
    expectNothingOf(answer, foreign);
  });

  test('no list has anything of it', async () => {
    const lists = WALKED.filter(({ method, path }) => method === 'get' && !path.includes('{'));
    for (const { title, path, isPaged } of lists) {
      const query = new URLSearchParams({ ...(isPaged && { page_size: '200' }), ...REQUESTS[title]?.query });
      expectNothingOf(await asker.api.get(`${path}?${query}`));
    }
  });

  test('nothing of it has changed', async () => {
    for (const { path, title } of WALKED.filter(({ method }) => method === 'get')) {
      if (!path.endsWith('}') && !path.endsWith('}/')) continue;
      const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(owner.ids[name] ?? ''));
      const answer = await owner.api.get(filled);
      expect([title, answer.status]).toEqual([title, 200]);
      expect(answer.text).toContain(MARKS.owner);
      expect(answer.text).not.toContain(MARKS.asker);
    }
  });
});

/** No byte of the owner's records, but for the id that was asked for. */
function expectNothingOf(answer: Answer, asked?: string): void {
  const text = asked === undefined ? answer.text : answer.text.replaceAll(JSON.stringify(asked).slice(1, -1), '');
  for (const secret of [MARKS.owner, ...Object.values(owner.ids)]) expect(text).not.toContain(secret);
}
