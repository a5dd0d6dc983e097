import type { z } from 'zod';

export const MAX_PARTITIONS = 256;

/** `0,2` or `0-3,8` as the numbers it names, each once and in ascending order. */
export function partitionsFromText(text: string, context: z.core.$RefinementCtx): number[] {
  const spans = text.split(',').map((part) => /^\s*(\d{1,3})(?:-(\d{1,3}))?\s*$/.exec(part));
  const numbers = spans.flatMap((span) => {
    const [first, last] = [Number(span?.[1]), Number(span?.[2] ?? span?.[1])];
    return first <= last && last < MAX_PARTITIONS
      ? Array.from({ length: last - first + 1 }, (_, i) => first + i)
      : [NaN];
  });
  if (numbers.some(Number.isNaN)) {
    context.addIssue({
      code: 'custom',
      message: `must list partitions from 0 to ${MAX_PARTITIONS - 1}, as in 0,2 or 0-3`,
    });
  }
  return [...new Set(numbers)].sort((a, b) => a - b);
}
