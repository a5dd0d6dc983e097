import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type analyse as Analyse, default as scslre } from 'scslre';
import { parseAst } from 'vite';
import { describe, expect, test } from 'vitest';
import { root, type SourceFile, textsOf } from '../source-files.ts';
import { cpuMs } from './cpu-time.ts';
import { repeated, TEXTS } from './shapes.ts';

/** Folders whose patterns no outsider's text meets. */
const OURS = new Set(['test', 'bench', 'soak', 'rehearse']);

const LENGTH = 32 * 1024;
/** A pattern that goes over 32 KiB once takes at most a few; one that does so from each place takes hundreds. */
const LINEAR_MS = 25;

type Pattern = { place: string; regex: RegExp };

const files = textsOf(root, ['.ts', '.tsx']).filter(({ path }) => !OURS.has(path.split('/')[0] ?? ''));
const patterns = files.flatMap(patternsOf);

describe('patterns take linear time', () => {
  test('all patterns of the source are found', () => {
    expect(patterns.length).toBeGreaterThan(150);
    expect(patterns.map(({ regex }) => regex.source)).toContain(/(?<!0)0+$/.source);
  });

  test('none can go back and forth over its input, or start again at each place', () => {
    expect([slowness(/0+$/), slowness(/^(a+)+$/), slowness(/^\S+@\S+\.\S+$/)]).toEqual(['Move', 'Self', 'Trade']);
    const slow = patterns.map(({ place, regex }) => [place, regex.source, slowness(regex)]);
    expect(slow.filter(([, , reason]) => reason !== '')).toEqual([]);
  });

  // The analysis does not see that /<[^>]*>/ starts again at each bracket of `<<<<`.
  test('none takes long for text that repeats what stands in it', () => {
    expect(slowest(/<[^>]*>/)).toBeGreaterThan(LINEAR_MS);
    const slow = patterns.map(({ place, regex }) => ({ place, source: regex.source, ms: slowest(regex) }));
    expect(slow.filter(({ ms }) => ms > LINEAR_MS)).toEqual([]);
  });
});

/** What makes a pattern slower than linear; '' for a good one. */
function slowness(regex: RegExp): string {
  const { analyse } = scslre as { analyse: typeof Analyse };
  const { reports } = analyse(regex, { reportTypes: { Move: true } });
  return [...new Set(reports.map(({ type }) => type))].join();
}

/** CPU milliseconds that a pattern takes at most for a text of {@link LENGTH}. */
function slowest(regex: RegExp): number {
  let most = 0;
  for (const text of textsFor(regex)) {
    // A first run that is slow may have met the collector.
    const once = () => cpuMs(() => void text.replace(regex, ''));
    let ms = once();
    if (ms > LINEAR_MS) ms = Math.min(ms, once(), once());
    if (ms > LINEAR_MS) return ms;
    most = Math.max(most, ms);
  }
  return most;
}

function textsFor(regex: RegExp): string[] {
  const literal = regex.source.replace(/\\[a-z]|[^\w <>"'`=/:;,.@#&%~-]/gi, '');
  const pieces = [literal, ...literal, ...'{[("\'\\|*+?$^'].filter((piece) => piece !== '');
  const texts = [...new Set(pieces)].map((piece) => repeated(piece)(LENGTH));
  return [...texts, ...texts.map((text) => `${text}\n!`), ...Object.values(TEXTS).map((shape) => shape(LENGTH))];
}

/** The literals of a file; a pattern that is put together from parts is none. */
function patternsOf({ path, text }: SourceFile): Pattern[] {
  if (!text.includes('/')) return [];
  const source = readFileSync(join(root, path), 'utf8');
  const found: Pattern[] = [];
  const walk = (node: unknown): void => {
    if (Array.isArray(node)) for (const one of node) walk(one);
    if (!isNode(node)) return;
    if (node.regex) {
      const place = `${path}:${source.slice(0, node.start).split('\n').length}`;
      found.push({ place, regex: new RegExp(node.regex.pattern, node.regex.flags) });
    }
    for (const [key, inner] of Object.entries(node)) if (key !== 'regex' && key !== 'value') walk(inner);
    // A value that is no literal's own: `value` of a property, of an attribute.
    if (isNode(node.value) || Array.isArray(node.value)) walk(node.value);
  };
  walk(parseAst(source, { lang: path.endsWith('x') ? 'tsx' : 'ts' }));
  return found;
}

type Node = { type: string; start: number; regex?: { pattern: string; flags: string }; value?: unknown };

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}
