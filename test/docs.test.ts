import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const pages = readdirSync(root, { recursive: true, encoding: 'utf8', withFileTypes: true })
  .filter((entry) => entry.name.endsWith('.md'))
  .map((entry) => relative(root, join(entry.parentPath, entry.name)))
  .filter((path) => !path.split('/').some((part) => part === 'node_modules' || part.startsWith('.')));

test('every table of the migrations is in the data model', () => {
  const text = readFileSync(join(root, 'docs/data-model.md'), 'utf8');
  const tables = ['postgres', 'clickhouse'].flatMap((store) => {
    const folder = join(root, 'sql/migrations', store);
    return readdirSync(folder).flatMap((file) =>
      [...readFileSync(join(folder, file), 'utf8').matchAll(CREATED)].map(([, name = '']) => name),
    );
  });
  expect(tables.length).toBeGreaterThan(45);
  expect(tables.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});

test('links between pages lead to a file', () => {
  const lost = pages.flatMap((page) =>
    [...readFileSync(join(root, page), 'utf8').matchAll(LINK)]
      .map(([, target = '']) => target)
      .filter((target) => !/^[a-z]+:/.test(target) && !existsSync(join(root, dirname(page), target)))
      .map((target) => `${page} links to ${target}`),
  );
  expect(lost).toEqual([]);
});

test('each decision is listed', () => {
  const list = readFileSync(join(root, 'docs/decisions/README.md'), 'utf8');
  const decisions = readdirSync(join(root, 'docs/decisions')).filter((file) => file !== 'README.md');
  expect(decisions.filter((file) => !list.includes(`(${file})`))).toEqual([]);
});

const CREATED = /^CREATE (?:TABLE|MATERIALIZED VIEW|VIEW) (?:IF NOT EXISTS )?(\w+)/gm;

/** The file that a link of Markdown names, without its anchor. */
const LINK = /\]\(([^)#\s]+)(?:#[^)]*)?\)/g;
