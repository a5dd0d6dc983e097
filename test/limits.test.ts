import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const read = (file: string) => readFileSync(join(import.meta.dirname, '..', file), 'utf8');
/** The cells of each row of the page's tables, but for their heads. */
const rows = read('docs/limits.md')
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .filter(([, head]) => head !== 'what' && !head?.startsWith('process'));
const benches = [...read('bench/main.ts').matchAll(/^ {2}'?([\w-]+)'?: \{ run: /gm)].map(([, name]) => name);

test('each limit names a bench that there is, and the date of its run', () => {
  expect(rows.length).toBeGreaterThan(15);
  expect(benches).toContain('path');
  const unnamed = rows.filter(([, , , measured = '']) => {
    const named = [...measured.matchAll(/`([\w-]+)[^`]*`/g)].map(([, name]) => name);
    return named.length === 0 || !named.every((name) => benches.includes(name)) || !/\b2026-\d\d-\d\d\b/.test(measured);
  });
  expect(unnamed).toEqual([]);
});

test('each figure of a limit stands among the figures of the benches', () => {
  const known = new Set(numbersIn(`${read('docs/benchmarks.md')} ${read('operations/sizing.md')}`));
  const made = rows.flatMap(([, what, holds = '']) => {
    return numbersIn(holds).flatMap((number) => (known.has(number) ? [] : `${what}: ${number}`));
  });
  expect(made).toEqual([]);
});

/** As they are written: `33,500`, `0.14`. */
function numbersIn(text: string): string[] {
  return text.match(/\d[\d,]*(?:\.\d+)?/g)?.map((number) => number.replace(/,$/, '')) ?? [];
}
