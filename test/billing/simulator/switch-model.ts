import { METRICS, type Metric, type SwitchAct, type SwitchLife, type SwitchPlan } from './switch-life.ts';

type Act = SwitchLife['acts'][number];
type CancelFee = Extract<SwitchAct, { do: 'cancel' }>['fee'];
type Units = Partial<Record<Metric, number>>;
type Planned = { at: number; plan: number; reset: boolean };

/** What the model says of a life: which acts were done, and what it has cost in the end, in cents. */
export type SwitchOutcome = { done: boolean[]; cents: number };

/**
 * What a life that switches costs, told day by day and event by event (spec/subscriptions#switch): a day costs what the plan in force on it
 * costs a day, unless it was paused; an event costs what the one plan that bills it takes, by tiers over what it bills at
 * once, unless a unit paid ahead for the period is left for it; an add-on its price. It shares nothing with billing/.
 */
export function modelSwitchLife(life: SwitchLife): SwitchOutcome {
  const model = new SwitchModel(life);
  const done = life.acts.map((act) => model.act(act));
  return { done, cents: model.cents };
}

class SwitchModel {
  cents = 0;
  private life: SwitchLife;
  private plan: SwitchPlan;
  /** First day of the open period, and the one after its last. */
  private start = 0;
  private end: number;
  /** The plan of each day of the open period so far, by the latest switch on or before it; and which days are paused. */
  private since: { day: number; plan: SwitchPlan }[];
  private paused: [number, number][] = [];
  private pausedAt: number | null = null;
  /** In advance: days before it are not charged, since the period began in a pause; infinite until the resume. */
  private chargedFrom = 0;
  private pool: Metric[] = [];
  private seen = 0;
  private planned: Planned | null = null;
  /** The planned cancel. */
  private cancelAt: { day: number; fee: CancelFee } | null = null;
  /** Units prepaid a period as a plan before had them; where none is there, those of the plan. */
  private ownUnits: Units = {};
  /** Units that are paid for the open period and not used yet. */
  private unitsLeft: Units = {};
  private isOver = false;

  constructor(life: SwitchLife) {
    this.life = { ...life, events: life.events.toSorted((a, b) => a.at - b.at) };
    this.plan = this.planOf(0);
    this.end = this.plan.days;
    this.since = [{ day: 0, plan: this.plan }];
    this.payUnits(METRICS);
  }

  act(act: Act): boolean {
    this.passTime(act.at);
    if (this.isOver) return false;
    switch (act.do) {
      case 'pause':
        if (this.pausedAt !== null) return false;
        this.pausedAt = act.at;
        return true;
      case 'resume':
        return this.resume(act.at);
      case 'cancel':
        return this.cancel(act);
      case 'withdraw':
        if (this.pausedAt !== null) return false;
        this.planned = null;
        return true;
      case 'attach':
        if (this.pausedAt !== null) return false;
        this.cents += this.life.addons?.[act.addon] ?? 0;
        return true;
      case 'switch':
        return this.switch(act);
    }
  }

  private cancel({ at, fee, invoicing, inDays = 0 }: Extract<SwitchAct, { do: 'cancel' }> & { at: number }): boolean {
    if (this.pausedAt !== null && invoicing === 'invoice_now') return false;
    if (inDays === 0) this.endLife(at, fee);
    else {
      const day = Math.floor(at) + inDays;
      this.cancelAt = { day, fee };
      if (this.planned && this.planned.at >= day) this.planned = null;
    }
    return true;
  }

  private endLife(at: number, fee: CancelFee): void {
    this.close(at, fee);
    this.billPool();
    this.isOver = true;
  }

  private switch({ at, plan, usage, inDays }: Extract<SwitchAct, { do: 'switch' }> & { at: number }): boolean {
    const day = Math.floor(at) + inDays;
    const reset = usage === 'reset_usage';
    if (this.pausedAt !== null || this.planOf(plan) === this.plan || day > this.end) return false;
    if (inDays > 0 && this.cancelAt && this.cancelAt.day <= day) return false;
    if (inDays > 0) this.planned = { at: day, plan, reset };
    else this.switchTo(at, this.planOf(plan), reset);
    return true;
  }

  private resume(at: number): boolean {
    if (this.pausedAt === null) return false;
    const day = Math.floor(at);
    this.paused.push([Math.floor(this.pausedAt), day]);
    this.pausedAt = null;
    if (this.chargedFrom === Number.POSITIVE_INFINITY) {
      this.chargedFrom = day;
      this.payUnits(METRICS);
    }
    if (this.planned && this.planned.at <= at) {
      const { plan, reset } = this.planned;
      this.switchTo(at, this.planOf(plan), reset);
    }
    return true;
  }

  private passTime(until: number): void {
    while (!this.isOver) {
      const switchAt = this.planned && this.pausedAt === null ? this.planned.at : this.end;
      const due = Math.min(switchAt, this.cancelAt?.day ?? this.end, this.end);
      if (due > until) break;
      this.see(due);
      if (this.cancelAt?.day === due) this.endLife(due, this.cancelAt.fee);
      else if (due === this.end) this.endPeriod();
      else if (this.planned) this.switchTo(due, this.planOf(this.planned.plan), this.planned.reset);
    }
    this.see(until);
  }

  /** Events before `until` that lie in no pause wait to be billed by some plan. */
  private see(until: number): void {
    const { events } = this.life;
    for (let event = events[this.seen]; event && event.at < until; event = events[++this.seen]) {
      if (this.pausedAt === null || event.at < this.pausedAt) this.pool.push(event.metric);
    }
  }

  private endPeriod(): void {
    this.close(this.end, 'charge_prorated');
    this.billPool();
    const next = this.planned && this.pausedAt === null && this.planned.at === this.end ? this.planned : null;
    if (next) {
      this.moveUnits(this.planOf(next.plan));
      this.plan = this.planOf(next.plan);
      this.planned = null;
    }
    this.begin(this.end);
  }

  private switchTo(at: number, next: SwitchPlan, reset: boolean): void {
    const carriesOn = next.days === this.plan.days && next.timing === this.plan.timing;
    if (reset) this.billPool();
    else {
      // What the next plan does not bill is billed by the one before, if at all; the rest goes on.
      const stays = (metric: Metric) => metric in next.prices || !(metric in this.plan.prices);
      this.billPool((metric) => !stays(metric));
    }
    this.planned = null;
    const moved = this.moveUnits(next);
    if (carriesOn) {
      this.plan = next;
      this.payUnits(METRICS.filter((metric) => !moved.includes(metric)));
      this.since.push({ day: Math.floor(at), plan: next });
      return;
    }
    this.close(at, 'charge_prorated');
    this.plan = next;
    this.begin(Math.floor(at));
  }

  private begin(day: number): void {
    this.start = day;
    this.end = day + this.plan.days;
    this.since = [{ day, plan: this.plan }];
    this.chargedFrom = this.pausedAt === null ? day : Number.POSITIVE_INFINITY;
    this.unitsLeft = {};
    if (this.pausedAt === null) this.payUnits(METRICS);
  }

  /** "Prepaid units move for metrics the new plan bills": those that do. */
  private moveUnits(next: SwitchPlan): Metric[] {
    const moved = METRICS.filter((metric) => metric in next.prices && this.unitsOf(metric) > 0);
    this.ownUnits = Object.fromEntries(moved.map((metric) => [metric, this.unitsOf(metric)]));
    return moved;
  }

  /** Units of these metrics are paid for the open period. */
  private payUnits(metrics: readonly Metric[]): void {
    for (const metric of metrics) {
      this.unitsLeft[metric] = this.unitsOf(metric);
      this.cents += this.unitsOf(metric) * (this.plan.prices[metric] ?? 0);
    }
  }

  private unitsOf(metric: Metric): number {
    return metric in this.plan.prices ? (this.ownUnits[metric] ?? this.plan.units?.[metric] ?? 0) : 0;
  }

  /** Bills what waits of these metrics: what no prepaid unit is left for, event by event, the first ones by the first tier. */
  private billPool(isBilled: (metric: Metric) => boolean = () => true): void {
    const billed: Partial<Record<Metric, number>> = {};
    for (const metric of this.pool.filter(isBilled)) {
      const left = this.unitsLeft[metric] ?? 0;
      if (left > 0) {
        this.unitsLeft[metric] = left - 1;
        continue;
      }
      const { prices, firstTier } = this.plan;
      const nth = (billed[metric] ?? 0) + 1;
      const tier = firstTier?.[metric];
      this.cents += tier && nth <= tier.upTo ? tier.cents : (prices[metric] ?? 0);
      billed[metric] = nth;
    }
    this.pool = this.pool.filter((metric) => !isBilled(metric));
  }

  /** The fee of the open period, that ends at `at`: day by day. */
  private close(at: number, fee: CancelFee): void {
    if (fee === 'refund') return;
    const last = Math.floor(at);
    for (let day = this.start; day < this.end; day++) {
      const plan = this.since.findLast((one) => one.day <= day)?.plan ?? this.plan;
      const isCharged =
        this.plan.timing === 'in_advance' ? day >= this.chargedFrom : fee === 'charge_full' || !this.isPaused(day);
      if (isCharged && (day < last || fee === 'charge_full')) this.cents += plan.dailyFee;
    }
  }

  private isPaused(day: number): boolean {
    const goesOn = this.pausedAt !== null && day >= Math.floor(this.pausedAt);
    return goesOn || this.paused.some(([from, to]) => day >= from && day < to);
  }

  private planOf(i: number): SwitchPlan {
    const plan = this.life.plans[i];
    if (!plan) throw new Error(`no plan ${i}`);
    return plan;
  }
}
