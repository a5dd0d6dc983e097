import { expect } from 'vitest';
import { howMany } from '../how-many.ts';
import type { Shape } from './shapes.ts';

/** Sizes of outside input, four doublings apart, at which time is compared. */
export type Sizes = { small: number; large: number };

/** A quarter of what a body may have, and all of it in a thorough run: whatever grows faster than its input shows it at either. */
const LARGE_BODY = howMany(256 * 1024, 1024 * 1024);
export const BODIES: Sizes = { small: LARGE_BODY / 16, large: LARGE_BODY };
/** What a header or an address may have: Node takes 16 KiB of all of them. */
export const HEADERS: Sizes = { small: 4 * 1024, large: 64 * 1024 };

/** Twice the input may take this much longer. */
const MOST_PER_DOUBLING = 2.5;

/** What is so fast for the large input needs no comparison: a loop within a loop over 256 KiB takes seconds. */
const FAST_MS = howMany(50, 200);
/** What takes so long for the small input is not tried with the large one, which would take minutes. */
const SLOW_MS = howMany(50, 200);
const ROUNDS = 5;

/** CPU milliseconds of this thread that `work` takes: other programs, and the collector's threads, do not count. */
export function cpuMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/**
 * Asserts that the time of `parse` grows at most 2.5 times with each doubling of its input. The small input is parsed as often as it takes
 * to be as much as the large one, and each counts with its fastest round: what else the machine does makes no difference.
 */
export function expectLinear(what: string, parse: (input: string) => unknown, shape: Shape, sizes: Sizes): void {
  const { small, large } = sizes;
  const times = large / small;
  const [smallInput, largeInput] = [shape(small), shape(large)];
  const parseSmall = () => attempt(parse, smallInput);
  const parseLarge = () => attempt(parse, largeInput);
  expect(fastestOf(parseSmall, SLOW_MS), `${what}: CPU milliseconds for ${small} bytes`).toBeLessThan(SLOW_MS);
  let [ofSmall, ofLarge] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const most = MOST_PER_DOUBLING ** Math.log2(times) / times;
  for (let round = 0; round < ROUNDS; round++) {
    ofLarge = Math.min(ofLarge, cpuMs(parseLarge));
    if (ofLarge < FAST_MS) return;
    const timesSmall = cpuMs(() => {
      for (let i = 0; i < times; i++) parseSmall();
    });
    ofSmall = Math.min(ofSmall, timesSmall);
    if (ofLarge < ofSmall * most) return;
  }
  const measured = `${what}: CPU milliseconds for ${large} bytes, which are ${ofSmall} in ${times} pieces`;
  expect(ofLarge, measured).toBeLessThan(ofSmall * most);
}

/** CPU milliseconds of the first run that takes less than `enough`, or of the fastest of three: one may have met the collector. */
export function fastestOf(work: () => void, enough: number): number {
  const first = cpuMs(work);
  return first < enough ? first : Math.min(first, cpuMs(work), cpuMs(work));
}

/** A refusal is an outcome like any other. */
function attempt(parse: (input: string) => unknown, input: string): void {
  try {
    parse(input);
  } catch {
    // What is refused has been parsed as well.
  }
}
