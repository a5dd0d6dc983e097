import { type Decimal, min, ZERO } from '../../core/decimal.ts';

/** Days of a billing period, counted from its first day (0); `to` is exclusive. */
export type DaySpan = { from: number; to: number };

/**
 * A price that holds from day `from` on, for a whole billing period. The first change of a period is its initial price.
 * `mayNotRestore` names earlier changes whose layers this one must not restore, because another payer was billed for them.
 */
export type PriceChange = { changeId: string; from: number; price: Decimal; mayNotRestore: readonly string[] };

/**
 * What one rise of a price charges: the layer it puts on top of the layers before it. `height` is its price for a whole period. `asked` is its price for the days in force,
 * without later falls of the price; `now` is what of it is left. Both are exact, and each layer is rounded by itself.
 */
export type Layer = { changeId: string; from: number; height: Decimal; asked: Decimal; now: Decimal };

/** Prices of whole periods are divided by `days`; only the days in `used` are charged. `length` is the last day, exclusive. */
export type LayerDays = { days: number; length: number; used: readonly DaySpan[] };

type Piece = { changeId: string; height: Decimal };

/**
 * Computes the layers of a price that changes within a period, in the order in which they were charged (spec/reversals#layers).
 * A fall takes the price off the top layer first. A rise first restores what was taken off last, and only the rest is a new layer.
 * `changes` come in order of time, so their days never descend.
 */
export function layersOf(changes: readonly PriceChange[], period: LayerDays): Layer[] {
  /** What is left of each layer, times its days. Divided once at the end, so that no part is rounded. */
  const layers: Omit<Layer, 'asked'>[] = [];
  let standing: Piece[] = [];
  let taken: Piece[] = [];
  for (const [i, change] of changes.entries()) {
    const before = standing.reduce((total, { height }) => total.plus(height), ZERO);
    const rise = change.price.minus(before);
    if (rise.lt(0)) ({ standing, taken } = takeOff(standing, taken, rise.negated()));
    if (rise.gt(0)) {
      const restored = restore(standing, taken, { rise, mayNotRestore: change.mayNotRestore });
      ({ standing, taken } = restored);
      if (restored.rest.gt(0)) {
        standing = [...standing, { changeId: change.changeId, height: restored.rest }];
        layers.push({ changeId: change.changeId, from: change.from, height: restored.rest, now: ZERO });
      }
    }
    const span = { from: change.from, to: changes[i + 1]?.from ?? period.length };
    for (const { changeId, height } of standing) {
      const layer = layers.find((one) => one.changeId === changeId);
      if (layer) layer.now = layer.now.plus(height.times(usedDays(span, period.used)));
    }
  }
  return layers.map(({ changeId, from, height, now }) => {
    const asked = height.times(usedDays({ from, to: period.length }, period.used)).div(period.days);
    return { changeId, from, height, asked, now: now.div(period.days) };
  });
}

/** Takes `fall` off the top; what is taken off last is the last of `taken`. */
function takeOff(standing: readonly Piece[], taken: readonly Piece[], fall: Decimal) {
  const [kept, off] = [[...standing], [...taken]];
  let left = fall;
  while (left.gt(0)) {
    const top = kept.pop();
    if (!top) break;
    const height = min(top.height, left);
    off.push({ ...top, height });
    if (top.height.gt(height)) kept.push({ ...top, height: top.height.minus(height) });
    left = left.minus(height);
  }
  return { standing: kept, taken: off };
}

/** Restores at most `rise` of what was taken off, what was taken last first; `rest` is what no layer can restore. */
function restore(
  standing: readonly Piece[],
  taken: readonly Piece[],
  { rise, mayNotRestore }: { rise: Decimal; mayNotRestore: readonly string[] },
) {
  const restored = [...standing];
  const kept: Piece[] = [];
  let rest = rise;
  for (const piece of taken.toReversed()) {
    const height = mayNotRestore.includes(piece.changeId) ? ZERO : min(piece.height, rest);
    if (height.gt(0)) restored.push({ ...piece, height });
    if (piece.height.gt(height)) kept.unshift({ ...piece, height: piece.height.minus(height) });
    rest = rest.minus(height);
  }
  return { standing: restored, taken: kept, rest };
}

/** The used days within a span. */
export function usedDays(span: DaySpan, used: readonly DaySpan[]): number {
  return used.reduce((sum, { from, to }) => sum + Math.max(0, Math.min(to, span.to) - Math.max(from, span.from)), 0);
}
