import type { DealEvent } from './deal.ts';
import {
  type Amount,
  type At,
  exact,
  type Limit,
  type Line,
  line,
  sum,
  trueUp,
  usageOf,
  type Window,
} from './model-usage.ts';

type Terms = { at: At; round: (amount: Amount) => Amount; ignoresLate: boolean };
type LateLine = { late: Line; limits: Limit[] };

/** The windows that have been billed, and what comes late for them (spec/invoices#late-usage). */
export class Billed {
  private readonly windows: Window[] = [];
  private readonly events: DealEvent[];
  private readonly terms: Terms;

  constructor(events: DealEvent[], terms: Terms) {
    [this.events, this.terms] = [events, terms];
  }

  /** What a window costs that is billed for the first time: a line at nought where there is none. */
  count(window: Window, now: number): { lines: Line[]; held: string[] } {
    const { lines, held } = this.costOf(window, now);
    this.windows.push(Object.assign(window, { lines }));
    return { lines: lines.length > 0 ? lines : [line('usage', window.component.metricId, exact())], held };
  }

  /** What has landed late for what was billed: its lines, and what limits make of them beside all else. */
  countAgain(now: number): () => Line[] {
    const changes = this.windows.flatMap((window) => this.changesOf(window, now));
    return () => [...changes.map(({ late }) => late), ...trueUpsOf(changes)];
  }

  private changesOf(window: Window, now: number): LateLine[] {
    const { limits, component, lines: before } = window;
    const { lines: after } = this.costOf(window, now);
    if (component.book?.unmatched === 'hold') window.billedAt = now;
    window.lines = after;
    const gone = before.filter(({ key }) => after.every((one) => one.key !== key));
    const all = [...after, ...gone.map((one) => ({ ...one, amount: exact(), count: 0 }))];
    return all.flatMap(({ key, metric, amount, count, isNew }) => {
      const was = before.find((one) => one.key === key);
      const late = line('late_usage', metric, amount.minus(was?.amount ?? 0), {
        key,
        count: count - (was?.count ?? 0),
      });
      return late.amount.isZero() || (this.terms.ignoresLate && !isNew) ? [] : [{ limits, late }];
    });
  }

  /** By what has landed by now. */
  private costOf(window: Window, now: number): { lines: Line[]; held: string[] } {
    const { component, from, until } = window;
    const isOurs = ({ metricId, time, landsAt = time }: DealEvent) =>
      metricId === component.metricId && time >= from && time < until && landsAt <= now;
    const { lines, held } = usageOf(window, this.events.filter(isOurs), this.terms.at, now);
    return { lines: lines.map((one) => ({ ...one, amount: this.terms.round(one.amount) })), held };
  }
}

/** One after another: of the component, then of the plan with what the component's has made of it. */
function trueUpsOf(changes: LateLine[]): Line[] {
  const ups = changes.flatMap(({ limits, late }) => {
    let { amount } = late;
    return limits.map((one) => {
      one.charged = one.charged.plus(amount);
      const up = trueUp(one);
      amount = amount.plus(up);
      return { one, metric: one === limits[0] ? late.metric : '', up };
    });
  });
  return [...Map.groupBy(ups, ({ one }) => one).values()].map((some) =>
    line('true_up', some[0]?.metric ?? '', sum(some.map(({ up }) => up))),
  );
}
