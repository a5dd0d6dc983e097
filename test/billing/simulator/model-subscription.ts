import { fraction, multiply, subtract, text, toUnits, whole } from './fractions.ts';
import type { Life, LifeAddon, LifeComponent, LifeEvent, LifeSubscription } from './life.ts';
import { dayAt, startOfDay } from './model-calendar.ts';
import { daysIn, firstDayOf, periodOn } from './model-periods.ts';
import { type ModelUsage, priceAboveUnits, priceOf, usageOf } from './model-price.ts';
import { bareLine, type ModelLine } from './model-wallet.ts';

export type ModelPeriod = { index: number; from: number; to: number };
/** A period that is over and is invoiced at `at`; what it is charged for add-ons was settled at its end. */
export type ModelWaiting = { period: ModelPeriod; next: ModelPeriod | null; at: number; addons: ModelLine[] };

type Attached = {
  addon: LifeAddon;
  quantity: number;
  first: number;
  last: number | null;
  charged: Set<number>;
  gone: boolean;
};
/** `seen`: how many events had been tracked when it was counted. */
type Billed = { period: ModelPeriod; component: LifeComponent; usage: ModelUsage; seen: number; rate?: string };

/** A subscription as the model keeps it: its open period, what it holds, and what it has been billed for. */
export class ModelSubscription {
  script: LifeSubscription;
  life: Life;
  state: 'pending' | 'active' | 'expired' = 'pending';
  renews = true;
  period: ModelPeriod;
  waiting: ModelWaiting | null = null;
  billed: Billed[] = [];
  private attached: Attached[] = [];
  /** By metric and period: units from there on; and what of them was given back. */
  private chosen = new Map<string, string>();
  private back = new Map<string, bigint>();

  constructor(life: Life, script: LifeSubscription) {
    this.life = life;
    this.script = script;
    const [from = 0, to = 0] = [0, 1].map((k) => startOfDay(firstDayOf(script, k), life.zone));
    this.period = { index: 0, from, to };
  }

  /** The period after the open one, by the zone of now. */
  following(zone: string): ModelPeriod {
    const { index, to } = this.period;
    return { index: index + 1, from: to, to: startOfDay(firstDayOf(this.script, index + 2), zone) };
  }

  /** The period is over: the next one begins, or there is none. */
  end(zone: string, at: number): void {
    const { period } = this;
    const next = this.renews ? this.following(zone) : null;
    this.waiting = { period, next, at, addons: this.addonLines(period, next, true) };
    if (next) this.period = next;
    else this.state = 'expired';
  }

  attach(addon: LifeAddon, quantity: number, at: number, zone: string): void {
    const now = this.indexAt(at, zone);
    const same = this.attached.filter((one) => one.addon === addon && !one.gone);
    const goesOn = same.find((one) => one.last === null) ?? same.find((one) => one.last === now);
    if (goesOn) Object.assign(goesOn, { quantity, last: null });
    else this.attached.push({ addon, quantity, first: now, last: null, charged: new Set(), gone: false });
  }

  detach(addon: LifeAddon, at: number, zone: string): boolean {
    const attached = this.attached.find((one) => one.addon === addon && !one.gone && one.last === null);
    if (!attached) return false;
    attached.last = this.state === 'pending' ? -1 : this.indexAt(at, zone);
    if (addon.kind === 'one_time') attached.gone = true;
    return true;
  }

  /** Changes what is prepaid, now or, where the open period is over, from the next one on; null where that is refused. */
  prepay(metricId: string, wanted: string, at: number, zone: string, events: LifeEvent[]) {
    const component = this.script.components.find((one) => one.metricId === metricId);
    const isOver = at >= this.period.to;
    if (this.state !== 'active' || !component || (isOver && !this.renews)) return null;
    const period = isOver ? this.following(zone) : this.period;
    const [was, is] = [this.unitsOf(component, period.index), fraction(wanted)];
    const isLess = subtract(is, was).n < 0n;
    if (isLess && subtract(this.usage(component, period, events).value, is).n > 0n) return null;
    this.chosen.set(`${metricId} ${period.index}`, wanted);
    const [priceWas, priceIs] = [priceOf(component, was), priceOf(component, is)];
    const price = ({ n }: typeof was, { amount }: typeof priceWas) => (n === 0n ? 0n : this.round(amount));
    const line: ModelLine = {
      ...this.line('proration', period),
      metric: metricId,
      quantity: text(subtract(is, was)),
      billable: text(subtract(priceIs.billable, priceWas.billable)),
      unitPrice: component.price === null ? null : text(fraction(component.price)),
      // What its pending invoice is still to charge is charged there.
      units: isOver || this.waiting ? 0n : price(is, priceIs) - price(was, priceWas),
    };
    return { line, period, component };
  }

  credited({ metricId }: LifeComponent, { index }: ModelPeriod): bigint {
    return this.back.get(`${metricId} ${index}`) ?? 0n;
  }

  keepCredited(component: LifeComponent, period: ModelPeriod, units: bigint): void {
    this.back.set(`${component.metricId} ${period.index}`, this.credited(component, period) + units);
  }

  /** What is due for the period that ended and for the next; `charges` keeps that add-ons have been charged. */
  lines(ended: ModelPeriod | null, next: ModelPeriod | null, events: LifeEvent[], charges: boolean): ModelLine[] {
    return [...this.timedLines(ended, next, events), ...this.addonLines(ended, next, charges)];
  }

  /** What is due for the period that waits for its invoice. */
  linesOfEnded({ period, next, addons }: ModelWaiting, events: LifeEvent[]): ModelLine[] {
    return [...this.timedLines(period, next, events), ...addons];
  }

  private timedLines(ended: ModelPeriod | null, next: ModelPeriod | null, events: LifeEvent[]): ModelLine[] {
    const { script } = this;
    const inAdvance = script.timing === 'in_advance';
    const feeOf = inAdvance ? next : ended;
    return [
      ...(feeOf && !/^[0.]*$/.test(script.fee) ? [this.feeLine(feeOf)] : []),
      ...(next
        ? script.components
            .filter((one) => this.unitsOf(one, next.index).n > 0n)
            .map((one) => this.prepaidLine(one, next))
        : []),
      ...(ended ? script.components.map((one) => this.usageLine(one, ended, this.usage(one, ended, events))) : []),
    ];
  }

  /** Usage of closed periods that is not as it was billed; `counts` keeps the new one as billed. */
  lateLines(events: LifeEvent[], counts: boolean): ModelLine[] {
    const byPeriod = this.billed.toSorted((a, b) => {
      return a.period.from - b.period.from || (a.component.metricId < b.component.metricId ? -1 : 1);
    });
    return byPeriod.flatMap((one) => {
      const { period } = one;
      if (!events.slice(one.seen).some(({ time }) => time >= period.from && time < period.to)) return [];
      const was = one.usage;
      const is = this.usage(one.component, period, events);
      if (counts) Object.assign(one, { usage: is, seen: events.length });
      const change = subtract(is.value, was.value);
      return change.n === 0n ? [] : [this.lateLine(one, was, is)];
    });
  }

  keepBilled(period: ModelPeriod, events: LifeEvent[]): void {
    for (const component of this.script.components) {
      this.billed.push({ period, component, usage: this.usage(component, period, events), seen: events.length });
    }
  }

  /** The tax rate that the closed period's invoice has. */
  keepRate(period: ModelPeriod, rate: string): void {
    for (const one of this.billed) if (one.period === period) one.rate = rate;
  }

  private feeLine(period: ModelPeriod): ModelLine {
    const fee = fraction(this.script.fee);
    const { days, whole } = daysIn(this.script, period.index);
    const one = { quantity: '1', billable: '1', unitPrice: days === whole ? text(fee) : null };
    const part = { n: fee.n * BigInt(days), d: fee.d * BigInt(whole) };
    return { ...this.line('recurring_fee', period), ...one, units: this.round(part) };
  }

  private prepaidLine(component: LifeComponent, period: ModelPeriod): ModelLine {
    const units = this.unitsOf(component, period.index);
    const { amount } = priceOf(component, units);
    return { ...this.line('prepaid_units', period), ...explain(component, units), units: this.round(amount) };
  }

  private usageLine(component: LifeComponent, period: ModelPeriod, { value, events }: ModelUsage): ModelLine {
    const amount = priceAboveUnits(component, value, this.unitsOf(component, period.index));
    const line = { ...this.line('usage', period), ...explain(component, value) };
    return { ...line, events: String(events), units: this.round(amount) };
  }

  private lateLine({ component, period, rate }: Billed, was: ModelUsage, is: ModelUsage): ModelLine {
    const ahead = this.unitsOf(component, period.index);
    const charge = ({ value }: ModelUsage) => this.round(priceAboveUnits(component, value, ahead));
    const { billable } = priceOf(component, is.value);
    return {
      ...this.line('late_usage', period),
      ...(rate !== undefined && { chargedAt: rate }),
      metric: component.metricId,
      quantity: text(subtract(is.value, was.value)),
      billable: text(subtract(billable, priceOf(component, was.value).billable)),
      unitPrice: component.price === null ? null : text(fraction(component.price)),
      events: String(is.events - was.events),
      units: charge(is) - charge(was),
    };
  }

  private addonLines(ended: ModelPeriod | null, next: ModelPeriod | null, charges: boolean): ModelLine[] {
    const inAdvance = this.script.timing === 'in_advance';
    return this.attached.flatMap((attached) => {
      if (attached.gone) return [];
      const once = attached.addon.kind === 'one_time';
      const candidates = once ? [ended ?? next] : [ended, inAdvance ? next : null];
      const owed = candidates.flatMap((period) => (period && (once || owes(attached, period)) ? [period] : []));
      if (charges && owed.length > 0) {
        for (const { index } of owed) attached.charged.add(index);
        if (once) attached.gone = true;
      }
      return owed.map((period) => this.addonLine(attached, period));
    });
  }

  private addonLine({ addon, quantity }: Attached, period: ModelPeriod): ModelLine {
    const price = fraction(addon.price);
    const amounts = { quantity: String(quantity), billable: String(quantity), unitPrice: text(price) };
    const units = this.round(multiply(price, whole(quantity)));
    return { ...this.line('addon', period), addon: addon.addonId, ...amounts, units };
  }

  private usage({ metricId }: LifeComponent, { from, to }: ModelPeriod, events: LifeEvent[]): ModelUsage {
    const metric = this.life.metrics.find((one) => one.metricId === metricId);
    if (!metric) throw new Error(`no metric ${metricId}`);
    return usageOf(metric, events, from, to);
  }

  private unitsOf({ metricId, prepaid }: LifeComponent, index: number): ReturnType<typeof fraction> {
    for (let i = index; i >= 0; i--) {
      const chosen = this.chosen.get(`${metricId} ${i}`);
      if (chosen !== undefined) return fraction(chosen);
    }
    return fraction(this.script.ownPrepaid[metricId] ?? prepaid);
  }

  private indexAt(at: number, zone: string): number {
    const { index, to } = this.period;
    return at < to ? index : Math.max(index + 1, periodOn(this.script, dayAt(at, zone)));
  }

  private line(type: string, { from, to }: ModelPeriod): ModelLine {
    return { ...bareLine(type), subscription: this.script.subscriptionId, from, to };
  }

  private round(amount: ReturnType<typeof fraction>): bigint {
    return toUnits(amount, this.life.places);
  }
}

function owes({ first, last, charged }: Attached, { index }: ModelPeriod): boolean {
  return index >= first && (last === null || index <= last) && !charged.has(index);
}

function explain(component: LifeComponent, quantity: ReturnType<typeof fraction>) {
  const { billable, tiers } = priceOf(component, quantity);
  return {
    metric: component.metricId,
    quantity: text(quantity),
    billable: text(billable),
    unitPrice: component.price === null ? null : text(fraction(component.price)),
    tiers: tiers.map((tier): [string, string] => [text(tier.quantity), text(tier.amount)]),
  };
}
