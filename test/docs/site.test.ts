import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readDocument, resolved, type Schema } from '../../docs/site/document.ts';
import { searchIndexText } from '../../docs/site/search-index.ts';
import { createSite } from '../../docs/site/site.ts';
import { addressOf } from '../../docs/site/tag-page.ts';
import { root } from '../source-files.ts';
import { GUIDE_PAGES } from './guide-blocks.ts';

/** The pages of /docs as they are rendered (spec/service#documents). */

const document = readDocument();
const site = createSite(document);
const assets = {
  script: '/docs/assets/main.js',
  style: '/docs/assets/main.css',
  searchIndex: '/docs/assets/search.json',
};
const pages = new Map(site.pages.map((page) => [page.path, site.html(page, assets)]));
const idsOf = (text: string) => [...text.matchAll(/\sid="([^"]+)"/g)].map(([, id = '']) => id);
const ids = new Map([...pages].map(([path, text]) => [path, new Set(idsOf(text))]));

/** The anchors that the fields of a schema have, found by another walk than the one that renders them. */
function anchorsIn(schema: Schema, prefix: string, inside: string[] = []): string[] {
  if (schema.$ref && inside.includes(schema.$ref)) return [];
  const open = schema.$ref ? [...inside, schema.$ref] : inside;
  const { properties = {}, items, anyOf = [], additionalProperties: rest } = resolved(schema, document);
  const nested = [items, ...anyOf, typeof rest === 'object' ? rest : undefined].filter((one) => one !== undefined);
  return [
    ...Object.entries(properties).flatMap(([name, field]) => [
      `${prefix}.${name}`,
      ...anchorsIn(field, `${prefix}.${name}`, open),
    ]),
    ...nested.flatMap((one) => anchorsIn(one, prefix, open)),
  ];
}

test('there is a page for each topic and each tag', () => {
  const topics =
    'quickstart events metrics pricing-models periods proration taxes-and-credits test-clocks pagination errors scopes webhooks migrating';
  const tags = document.tags.map(({ name }) => `/docs/api/${name.toLowerCase().replaceAll(' ', '-')}`);
  const expected = ['/docs', ...topics.split(' ').map((name) => `/docs/${name}`), ...tags];
  expect(expected.filter((path) => !pages.has(path))).toEqual([]);
});

describe.each(site.operations)('$operationId', (operation) => {
  const { operationId, parameters = [], requestBody, responses } = operation;
  const [page = ''] = addressOf(operation).split('#');
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1];

  test('is on the page of its tag, with every field at every depth, and is found from /docs', () => {
    const sent = requestBody?.content?.['application/json']?.schema;
    const answered = success?.content?.['application/json']?.schema;
    const expected = [
      operationId,
      ...parameters.map(({ name, in: where }) => `${operationId}.${where}.${name}`),
      ...(sent ? anchorsIn(sent, `${operationId}.body`) : []),
      ...(answered ? anchorsIn(answered, `${operationId}.answer`) : []),
    ];
    expect(expected.filter((id) => !ids.get(page)?.has(id))).toEqual([]);
    expect(pages.get('/docs')).toContain(`<a id="${operationId}" href="${page}#${operationId}">`);
  });
});

test('a field within fields has its own place, with what it may hold', () => {
  const text = pages.get('/docs/api/plans') ?? '';
  const [item = ''] = /<li id="createPlan\.body\.components\.tiers\.up_to">.*?<\/li>/s.exec(text) ?? [];
  for (const part of ['components.', 'tiers.', 'up_to', 'number or null', 'Upper edge of the tier', '1000', 'required'])
    expect(item).toContain(part);
  expect(ids.get('/docs/api/plans')).toContain('createPlan.answer.components.tiers.up_to');
});

test('an operation that takes several content types names them all', () => {
  const text = pages.get('/docs/api/events') ?? '';
  const taken = ['/api/events/batch', '/api/v1/events'].flatMap((path) =>
    Object.keys(document.paths[path]?.post?.requestBody?.content ?? {}),
  );
  expect(taken.length).toBeGreaterThan(5);
  for (const type of taken) expect(text).toContain(`<code>${type}</code>`);
});

test('a record within itself is shown once: its anchors have an end', () => {
  const circular = structuredClone(document);
  const { Plan } = circular.components.schemas;
  if (!Plan?.properties) throw new Error('There is no component Plan.');
  Plan.properties.successor = { $ref: '#/components/schemas/Plan' };
  const made = createSite(circular).operations.find(({ operationId }) => operationId === 'createPlan');
  const successor = made?.answer.fields.find(({ name }) => name === 'successor');
  expect(successor).toMatchObject({ id: 'createPlan.answer.successor', fields: [] });
});

test('no id stands twice on a page', () => {
  const twice = [...pages].flatMap(([path, text]) => {
    const all = idsOf(text);
    return all.filter((id, i) => all.indexOf(id) !== i).map((id) => `${path}#${id}`);
  });
  expect(twice).toEqual([]);
});

test('links of all pages lead to a page that is there, and to an anchor on it', () => {
  const served = new Set(['/console', '/openapi.json', assets.style]);
  const lost = [...pages].flatMap(([path, text]) =>
    [...text.matchAll(/\shref="([^"]+)"/g)]
      .map(([, href = '']) => href)
      .filter((href) => !/^(https?:|data:)/.test(href) && !served.has(href))
      .filter((href) => {
        const [target = '', anchor] = href.split('#');
        const found = ids.get(target || path);
        return !found || (anchor !== undefined && !found.has(anchor));
      })
      .map((href) => `${path} leads to ${href}`),
  );
  expect(lost).toEqual([]);
});

test('what the search finds is there', () => {
  const { storedFields, documentIds } = JSON.parse(searchIndexText(site)) as {
    storedFields: Record<string, { title: string }>;
    documentIds: Record<string, string>;
  };
  const lost = Object.values(documentIds).filter((address) => {
    const [page = '', anchor] = address.split('#');
    return !(anchor ? ids.get(page)?.has(anchor) : pages.has(page));
  });
  expect(lost).toEqual([]);
  const titles = Object.values(storedFields).map(({ title }) => title);
  expect(titles).toEqual(expect.arrayContaining(['Quickstart', 'Create a plan', 'components.tiers.up_to']));
});

test('pages load nothing but their own script and style, and have neither within them', () => {
  for (const [path, text] of pages) {
    expect([
      path,
      /<style|\sstyle=|<script(?! type="module" src="\/docs\/)|\son\w+="|<img(?! src="\/docs\/assets\/)|<iframe/.exec(
        text,
      )?.[0],
    ]).toEqual([path, undefined]);
  }
});

test('what somebody wrote in the document is text on a page', () => {
  const evil = structuredClone(document);
  const plans = evil.paths['/api/plans']?.post;
  if (!plans) throw new Error('There is no POST /api/plans.');
  plans.summary = '<img src=x onerror=alert(1)>';
  plans.description = '`<b>` & "quotes"';
  const page = createSite(evil);
  const texts = page.pages.map((one) => page.html(one, assets)).join('');
  expect(texts).not.toContain('<img src=x');
  expect(texts).toContain('<code>&lt;b&gt;</code> &amp; &quot;quotes&quot;');
});

test('no page of docs/guide is left out', () => {
  const files = readdirSync(join(root, 'docs/guide')).filter((file) => file !== 'README.md');
  expect(files.map((file) => file.replace(/\.md$/, '')).filter((page) => !GUIDE_PAGES.includes(page))).toEqual([]);
  expect(site.guide.map(({ name }) => name)).toEqual(GUIDE_PAGES);
});
