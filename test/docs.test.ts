import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const files = filesIn(root).map((path) => relative(root, path));
const pages = files.filter((path) => path.endsWith('.md'));

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

test('files that pages name are there', () => {
  const lost = pages
    .filter((page) => page !== 'CHANGELOG.md')
    .flatMap((page) =>
      [...readFileSync(join(root, page), 'utf8').matchAll(FILE)]
        .map(([, file = '']) => file)
        .filter((file) => !existsSync(join(root, file)) && !existsSync(join(root, dirname(page), file)))
        .map((file) => `${page} names ${file}`),
    );
  expect(lost).toEqual([]);
});

test('files that a README names without a folder are there', () => {
  const names = new Set(files.map((path) => basename(path)));
  const lost = pages
    .filter((page) => page.endsWith('/README.md'))
    .flatMap((page) =>
      [...readFileSync(join(root, page), 'utf8').matchAll(/`([\w-]+(?:\.[a-z]+)*\.ts)`/g)]
        .filter(([, name = '']) => !names.has(name))
        .map(([, name]) => `${page} names ${name}`),
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

/** A path from one of our folders down, between backticks. */
const FILE = /`((?:[a-z]+\/)+[\w.-]+\.(?:ts|json|sql|yml|md))`/g;

function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name.startsWith('.') || /^(node_modules|dist|generated)$/.test(entry.name)) return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesIn(path) : [path];
  });
}
