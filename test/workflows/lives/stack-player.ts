import { decimal, sum, ZERO } from '../../../core/decimal.ts';
import { newId } from '../../../core/ids.ts';
import type { DealDiscount } from '../../billing/deals/deal.ts';
import {
  type Bill,
  dateOf,
  dealPlanOf,
  type Invoicing,
  instantOf,
  type Life,
  type LifeAct,
  type LifeCancel,
  type LifeStep,
  type Outcome,
  type Player,
} from '../../billing/lives/life.ts';
import { type Api, itemsOf, type Json } from '../../stack/api.ts';
import { draftOf, linesOf } from '../../stack/bills.ts';
import { invoicesOf, makeClock, makeCustomer, makePlan } from '../../stack/clocks.ts';
import { landed, posted } from '../../stack/resources.ts';
import { couponBody, planBody } from '../deals/deal-bodies.ts';
import { advance } from '../in-process-clock.ts';

/** Where lives are lived. `metrics`: the ids of metrics that sum `v`, by the names of their events. */
export type Stage = { api: Api; metrics: ReadonlyMap<string, string> };

type Names = { customers: Map<string, string>; metrics: Map<string, string> };
type Act<Do extends LifeAct['do']> = Extract<LifeAct, { do: Do }>;

/** Makes the customers and plans of a life, on a clock of its own. */
export async function playerOnStack(stage: Stage, life: Life): Promise<StackPlayer> {
  const { api, metrics } = stage;
  const { lateUsage = 'next_invoice', graceDays = 0 } = { graceDays: life.graceDays, ...late(life) };
  await api.patch('/api/account', { invoice_grace_seconds: graceDays * 86_400, late_usage: lateUsage });
  const clock = await makeClock(api, dateTimeOf(0));
  const customers = new Map<string, string>();
  for (const { id, taxRate = '0', billedTo } of life.customers) {
    const more = { ...(billedTo !== undefined && { billed_to: customers.get(billedTo) }) };
    const fields = { test_clock_id: clock, timezone: 'UTC', tax_rate: Number(taxRate), ...more };
    customers.set(id, await makeCustomer(api, newId('req'), fields));
  }
  const plans = new Map<string, string>();
  for (const [name, plan] of Object.entries(life.plans)) {
    const body = planBody(SOLD, dealPlanOf(plan), (metric) => metrics.get(metric));
    plans.set(name, await makePlan(api, { ...body, name }));
  }
  return new StackPlayer(stage, { life, clock, customers, plans });
}

function late({ ignoresLate }: Life): { lateUsage?: 'ignore' } {
  return ignoresLate ? { lateUsage: 'ignore' } : {};
}

const SOLD = { currency: 'USD', startDate: dateOf(0), discountedTypes: null } as const;

type Records = { life: Life; clock: string; customers: Map<string, string>; plans: Map<string, string> };

/** Performs a life through the API; what time makes due is done in this process (`in-process-clock.ts`). */
export class StackPlayer implements Player {
  readonly stage: Stage;
  private readonly records: Records;
  private readonly subscriptions = new Map<string, string[]>();
  private readonly names: Names;
  private now = 0;

  constructor(stage: Stage, records: Records) {
    [this.stage, this.records] = [stage, records];
    const named = (all: ReadonlyMap<string, string>) => new Map([...all].map(([name, id]) => [id, name]));
    this.names = { customers: named(records.customers), metrics: named(stage.metrics) };
  }

  async perform(step: LifeStep): Promise<boolean> {
    await this.passTime(step.at);
    const customer = step.customer ?? this.records.life.customers[0]?.id ?? '';
    const status = await this.act(customer, step);
    if (status >= 500) throw new Error(`${JSON.stringify(step)} was answered ${status}`);
    return status < 300;
  }

  async passTime(day: number): Promise<void> {
    if (day <= this.now) return;
    await advance(this.stage.api, this.records.clock, dateTimeOf(day));
    this.now = day;
  }

  async draft(customer: string): Promise<Bill[]> {
    const draft = await draftOf(this.stage.api, this.idOf(customer));
    return itemsOf(draft.invoices).map((one) => this.billOf(customer, one));
  }

  async issued(customer: string): Promise<Bill[]> {
    return (await this.invoicesOf(customer)).map((one) => this.billOf(customer, one));
  }

  async outcome(): Promise<Outcome> {
    const { api } = this.stage;
    const outcome: Outcome = { net: {}, invoices: [], credits: [] };
    for (const { id: customer } of this.records.life.customers) {
      const invoices = await this.invoicesOf(customer);
      const ids = `customer_id=${this.idOf(customer)}&page_size=200`;
      const credits = itemsOf((await api.get(`/api/credits?${ids}`)).exact.results);
      const refunds = itemsOf((await api.get(`/api/refunds?${ids}`)).exact.results);
      const isCash = ({ status, method }: Json) =>
        !['failed', 'canceled'].includes(String(status)) && String(method) !== 'store_credit';
      const money = (all: Json[], field: string) => sum(all.map((one) => decimal(String(one[field]))));
      const valid = invoices.filter(({ status }) => String(status) !== 'void');
      const paidBack = credits.filter(({ reason }) => String(reason) === 'overpayment_credit');
      outcome.net[customer] = money(valid, 'amount_paid')
        .plus(money(valid, 'amount_due'))
        .minus(money(refunds.filter(isCash), 'amount'))
        .minus(money(paidBack, 'amount_remaining'))
        .toFixed();
      for (const { kind, total, status, amount_due } of invoices) {
        outcome.invoices.push(
          `${customer} ${kind} ${total}, ${String(status) === 'void' ? 'void' : `due ${amount_due}`}`,
        );
      }
      for (const { amount_remaining: left, expires_at } of credits.toReversed()) {
        const until = expires_at === null ? '' : ` until ${expires_at}`;
        if (String(left) !== '0') outcome.credits.push(`${customer} ${left}${until}`);
      }
    }
    return outcome;
  }

  private async act(customer: string, act: LifeAct): Promise<number> {
    const { api } = this.stage;
    const customer_id = this.idOf(customer);
    switch (act.do) {
      case 'subscribe':
        return this.subscribe(customer, act);
      case 'use':
        return this.use(customer_id, act);
      case 'redeem': {
        const body = { coupon_id: await this.couponOf(act.discount) };
        return this.change(customer, 'discounts', body);
      }
      case 'switch':
        return this.change(customer, 'switch_plan', {
          ...{ new_plan_id: this.records.plans.get(act.plan), invoicing_behavior: invoicing(act.invoicing) },
          usage_behavior: act.resets ? 'reset_usage' : 'transfer_to_new_subscription',
          ...(act.inDays && { effective_date: this.dateIn(act.inDays) }),
        });
      case 'withdraw_switch':
        return this.change(customer, 'switch_plan', { new_plan_id: null });
      case 'cancel':
        return this.change(customer, 'cancel', this.cancelBody(act), act.subscription);
      case 'pause':
        return this.change(customer, 'pause', act.inDays ? { resumes_at: this.dateIn(act.inDays) } : {});
      case 'resume':
        return this.change(customer, 'resume', {});
      case 'attach': {
        const kind = act.isOnce ? 'one_time' : 'recurring';
        const addon = { name: 'Extra', kind, price: Number(act.price), currency: 'usd' };
        const { addon_id } = (await posted(api, '/api/addons', addon)).body;
        return this.change(customer, 'addons/attach', { addon_id });
      }
      case 'units': {
        const of = { metric_id: this.stage.metrics.get(act.metric), units: Number(act.units) };
        const body = { ...of, invoicing_behavior: invoicing(act.invoicing) };
        return this.change(customer, 'components/change-prepaid-units', body);
      }
      case 'pay': {
        for (const { invoice_id, status } of await this.invoicesOf(customer))
          if (String(status) === 'open') await posted(api, `/api/invoices/${invoice_id}/mark_paid`);
        return 200;
      }
      case 'void':
        return (await api.post(`/api/invoices/${await this.invoiceIn(customer, act)}/void`)).status;
      case 'give_up':
        return (await api.post(`/api/invoices/${await this.invoiceIn(customer, act)}/mark_uncollectible`)).status;
      case 'refund': {
        const amount = act.amount === undefined ? {} : { amount: Number(act.amount) };
        const body = { invoice_id: await this.invoiceIn(customer, act), method: 'bank_transfer', ...amount };
        return (await api.post('/api/refunds', body)).status;
      }
      case 'grant': {
        const expires_at = act.expiresInDays === undefined ? null : this.dateIn(act.expiresInDays);
        const body = { customer_id, amount: Number(act.amount), reason: 'promotional_credit', expires_at };
        return (await api.post('/api/credits', body)).status;
      }
      case 'bill_to': {
        const billed_to = act.payer === null ? null : this.idOf(act.payer);
        return (await api.patch(`/api/customers/${customer_id}`, { billed_to })).status;
      }
      case 'tax':
        return (await api.patch(`/api/customers/${customer_id}`, { tax_rate: Number(act.rate) })).status;
      case 'add_price': {
        const row = { pricing_model: 'per_unit', overage_price: Number(act.price), currency: 'usd' };
        const of = { metric_id: this.stage.metrics.get(act.metric), when: { model: act.model } };
        return (await api.post(`/api/plans/${this.records.plans.get(act.plan)}/prices`, { ...of, ...row })).status;
      }
    }
  }

  private async subscribe(customer: string, act: Act<'subscribe'>): Promise<number> {
    const { plan, trialDays, discounts = [], phases = [] } = act;
    const { plans } = this.records;
    const coupons = await Promise.all(discounts.map((one) => this.couponOf(one)));
    const body = {
      ...{ customer_id: this.idOf(customer), plan_id: plans.get(plan), ...(trialDays && { trial_days: trialDays }) },
      discounts: coupons.map((coupon_id) => ({ coupon_id })),
      phases: phases.map(({ inDays, plan: next }) => ({ start_date: this.dateIn(inDays), plan_id: plans.get(next) })),
    };
    const made = await this.stage.api.post('/api/subscriptions', body);
    if (made.status === 201)
      this.subscriptions.set(customer, [
        ...(this.subscriptions.get(customer) ?? []),
        String(made.body.subscription_id),
      ]);
    return made.status;
  }

  private async use(customer_id: string, { metric, value, of = this.now, texts }: Act<'use'>): Promise<number> {
    const { api } = this.stage;
    const properties = { v: Number(value), ...texts };
    const event = { event_name: metric, customer_id, idempotency_id: newId('req'), time_created: dateTimeOf(of) };
    const { status } = await api.post('/api/track', { ...event, properties });
    await landed(api);
    return status;
  }

  private async change(customer: string, path: string, body: object, which?: number): Promise<number> {
    const id = await this.subscriptionOf(customer, which);
    return (await this.stage.api.post(`/api/subscriptions/${id}/${path}`, body)).status;
  }

  private cancelBody(act: LifeCancel) {
    const { fee = 'charge_prorated', billsUsage = true, inDays, atEnd = false } = act;
    const terms = { flat_fee_behavior: fee, bill_usage: billsUsage, invoicing_behavior: invoicing(act.invoicing) };
    return {
      ...terms,
      ...(atEnd && { cancel_at: 'end_of_period' }),
      ...(inDays && { cancel_at: this.dateIn(inDays) }),
    };
  }

  private async couponOf(discount: DealDiscount): Promise<string> {
    const { body } = await posted(this.stage.api, '/api/coupons', couponBody(SOLD, discount));
    return String(body.coupon_id);
  }

  /** The one that is there by now, whether a call or time has switched the one before. */
  async subscriptionOf(customer: string, which?: number): Promise<string> {
    let id = this.subscriptions.get(customer)?.at(which ?? -1) ?? '';
    for (;;) {
      const { replaced_by } = (await this.stage.api.get(`/api/subscriptions/${id}`)).body;
      if (!replaced_by) return id;
      id = String(replaced_by);
    }
  }

  private async invoiceIn(customer: string, { invoice = -1 }: { invoice?: number }): Promise<string> {
    return String((await this.invoicesOf(customer)).at(invoice)?.invoice_id);
  }

  private async invoicesOf(customer: string): Promise<Json[]> {
    const all = await invoicesOf(this.stage.api, `customer_id=${this.idOf(customer)}`);
    return all.toSorted((a, b) => (String(a.invoice_number) < String(b.invoice_number) ? -1 : 1));
  }

  private billOf(customer: string, invoice: Json): Bill {
    const { kind, issue_date, tax_amount, total } = invoice;
    const lines = linesOf(invoice);
    const credits = sum(lines.filter(isCredit).map(({ amount }) => decimal(String(amount))));
    return {
      ...{ customer, kind: String(kind), date: String(issue_date), tax: String(tax_amount), total: String(total) },
      due: credits.plus(String(total)).lt(0) ? ZERO.toFixed() : credits.plus(String(total)).toFixed(),
      lines: lines.map((line) => this.lineText(customer, line)),
    };
  }

  private lineText(customer: string, { type, metric_id, quantity, amount, customer_id, group }: Json): string {
    const owner = this.names.customers.get(String(customer_id));
    const metric = metric_id === null ? [] : [this.names.metrics.get(String(metric_id)), `x${quantity}`];
    const texts = group === null || group === undefined ? [] : [Object.values(group).join('/')];
    return [...(owner === customer ? [] : [`${owner}:`]), type, ...metric, ...texts, amount].join(' ');
  }

  private idOf(customer: string): string {
    return this.records.customers.get(customer) ?? '';
  }

  private dateIn(days: number): string {
    return dateOf(Math.floor(this.now) + days);
  }
}

const isCredit = ({ type }: Json) => String(type) === 'credit';

function invoicing(behavior: Invoicing = 'next'): 'invoice_now' | 'add_to_next_invoice' {
  return behavior === 'now' ? 'invoice_now' : 'add_to_next_invoice';
}

function dateTimeOf(day: number): string {
  return new Date(instantOf(day)).toISOString();
}
