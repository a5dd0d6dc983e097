import type { Stretch } from '../../sql/clickhouse/metrics/landed-combinations.ts';

/** Positions looked through in one round: two million events at most, where messages are full. */
const STRIDE = 4_096n * 1_024n;

/** Returns the position at which a round that starts after `above` ends: `goal`, or one stride later if that is less. */
export function strideTo(above: bigint, goal: bigint): bigint {
  return goal - above > STRIDE ? above + STRIDE : goal;
}

/** Splits a stretch in two. A stretch of one position has no halves: what it has is too much for ever. */
export function halvesOf({ above, upTo }: Stretch): Stretch[] {
  const middle = above + (upTo - above) / 2n;
  return middle === above
    ? []
    : [
        { above, upTo: middle },
        { above: middle, upTo },
      ];
}
