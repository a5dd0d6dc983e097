import { expect } from 'vitest';
import { newId } from '../../../core/ids.ts';
import type { Deal, DealAddon, DealCancel, DealSwitch } from '../../billing/deals/deal.ts';
import { type Api, itemsOf, type Json } from '../../stack/api.ts';
import { draftOf } from '../../stack/bills.ts';
import { invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { landed, posted } from '../../stack/resources.ts';
import { advance } from '../in-process-clock.ts';
import {
  couponBody,
  dateOf,
  type IdOf,
  instantOf,
  overridesBody,
  planBody,
  planWithOption,
  rowBody,
} from './deal-bodies.ts';
import { ADDED_ROW, type DealLife, type LivedDeal, takesAddedRow } from './deal-life.ts';

const HOUR_MS = 3_600_000;
const NOON_MS = 12 * HOUR_MS;
const EVENING_MS = 18 * HOUR_MS;

/** Where deals are lived. `idOf`: of the metrics that they bill. */
export type Stage = { api: Api; idOf: IdOf };

/** A customer of a life. `subscriptions`: the one it began with, and those that have taken its place. */
export type Member = { deal: LivedDeal; customerId: string; plans: string[]; subscriptions: string[] };

/** What of one who pays was drafted right before an instant, and what was invoiced at it. */
export type Boundary = { drafted: Json[]; invoiced: Json[] };

type Call = { at: number; make: () => Promise<unknown> };

/** Plays a life through the API to its end; before each of the instants `drafts` it asks what will be invoiced. */
export async function playLife(
  stage: Stage,
  life: DealLife,
  drafts: readonly number[],
): Promise<{ members: Member[]; boundaries: Boundary[] }> {
  const { api } = stage;
  const [first] = life.deals;
  const clock = await makeClock(api, iso(instantOf(first, 0)));
  const payer = await makeMember(stage, life, first, { clock });
  const members = [payer];
  for (const deal of life.deals.slice(1))
    members.push(await makeMember(stage, life, deal, { clock, billedTo: payer.customerId }));
  await landed(api);
  const boundaries: Boundary[] = [];
  const issued = () => invoicesOf(api, `customer_id=${payer.customerId}`);
  const draft = async (at: number) => {
    const drafted = itemsOf((await draftOf(api, payer.customerId)).invoices);
    const before = (await issued()).length;
    await arrive(api, clock, at);
    boundaries.push({ drafted, invoiced: (await issued()).slice(before) });
  };
  const calls = [
    ...members.flatMap((member) => callsOf(stage, life, member)),
    ...callsOfLife(stage, life, members),
    ...drafts.map((at): Call => ({ at: at - 1, make: () => draft(at) })),
  ];
  for (const { at, make } of calls.toSorted((a, b) => a.at - b.at)) {
    await arrive(api, clock, at);
    await make();
  }
  await arrive(api, clock, instantOf(first, first.days));
  for (const member of members) await currentOf(api, member);
  return { members, boundaries };
}

/** A customer with its plans, whose events have all been sent. */
async function makeMember(
  { api, idOf }: Stage,
  life: DealLife,
  deal: LivedDeal,
  { clock: test_clock_id, billedTo }: { clock: string; billedTo?: string },
): Promise<Member> {
  const customerId = await makeCustomer(api, newId('req'), {
    ...{ test_clock_id, timezone: deal.zone, default_currency_code: deal.currency, tax_rate: Number(deal.taxRate) },
    ...(billedTo && { billed_to: billedTo }),
  });
  const body = life.isOption ? planWithOption : planBody;
  const plans: string[] = [];
  for (const plan of deal.plans) plans.push(await makePlan(api, body(deal, plan, idOf)));
  if (deal.credit !== '0') await posted(api, '/api/credits', { customer_id: customerId, amount: Number(deal.credit) });
  const events = deal.events.map(({ metricId: event_name, time, value, texts }) => ({
    ...{ event_name, customer_id: customerId, idempotency_id: newId('req'), time_created: iso(time) },
    properties: { v: Number(value), ...Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== null)) },
  }));
  if (events.length > 0) await posted(api, '/api/events/batch', { events });
  return { deal, customerId, plans, subscriptions: [] };
}

/** A deal's own calls, from the creation on. */
function callsOf(stage: Stage, life: DealLife, member: Member): Call[] {
  const { api } = stage;
  const { deal } = member;
  const { cancel } = deal;
  const act = async (path: string, body: object = {}) =>
    posted(api, `/api/subscriptions/${await currentOf(api, member)}/${path}`, body);
  const attach = async ({ price, isOnce }: DealAddon) => {
    const kind = isOnce ? 'one_time' : 'recurring';
    const addon = { name: 'Extra', kind, price: Number(price), currency: deal.currency };
    const { addon_id } = (await posted(api, '/api/addons', addon)).body;
    return act('addons/attach', { addon_id });
  };
  const at = (day: number, time = NOON_MS) => instantOf(deal, day, time);
  return [
    { at: at(0, 0), make: () => begin(stage, life, member) },
    ...deal.switches.map((one) => ({
      at: at(one.day),
      make: () => act('switch_plan', switchBody(stage, member, one)),
    })),
    ...deal.addons.map((one) => ({ at: at(one.day), make: () => attach(one) })),
    ...deal.pauses.flatMap(({ from, to }) => {
      const resumes = at(to, EVENING_MS);
      if (!deal.resumesItself.has(to)) {
        return [
          { at: at(from), make: () => act('pause') },
          { at: resumes, make: () => act('resume') },
        ];
      }
      return [{ at: at(from), make: () => act('pause', { resumes_at: iso(resumes) }) }];
    }),
    ...(cancel ? [{ at: at(cancel.day), make: () => act('cancel', cancelBody(deal, cancel)) }] : []),
  ];
}

async function begin({ api, idOf }: Stage, life: DealLife, { deal, customerId, plans, subscriptions }: Member) {
  const coupons = await Promise.all(deal.discounts.map((one) => posted(api, '/api/coupons', couponBody(deal, one))));
  const phases = deal.phases.map(({ day, plan, overrides }) => ({
    ...{ start_date: dateOf(deal, day), ...(plan !== null && { plan_id: plans[plan] }) },
    ...overridesBody(deal, overrides, idOf),
  }));
  const id = await subscribe(api, {
    ...{ customer_id: customerId, plan_id: plans[0], currency: deal.currency, start_date: deal.startDate },
    ...{ ...(deal.trialDays > 0 && { trial_days: deal.trialDays }), ...overridesBody(deal, deal.overrides, idOf) },
    discounts: coupons.map(({ body }) => ({ coupon_id: body.coupon_id })),
    ...(!life.putsPhases && { phases }),
  });
  subscriptions.push(id);
  if (life.putsPhases) expect((await api.put(`/api/subscriptions/${id}/phases`, { phases })).status).toBe(200);
}

function switchBody({ idOf }: Stage, { deal, plans }: Member, one: DealSwitch) {
  return {
    ...{ new_plan_id: plans[one.plan], ...overridesBody(deal, one.overrides, idOf) },
    invoicing_behavior: one.isInvoicedNow ? 'invoice_now' : 'add_to_next_invoice',
    usage_behavior: one.resets ? 'reset_usage' : 'transfer_to_new_subscription',
    ...(one.isPlanned && { effective_date: dateOf(deal, one.day + 1) }),
  };
}

function cancelBody(deal: Deal, { day, isPlanned, fee, billsUsage }: DealCancel) {
  const terms = { flat_fee_behavior: fee, bill_usage: billsUsage, invoicing_behavior: 'invoice_now' };
  return { ...terms, ...(isPlanned && { cancel_at: dateOf(deal, day + 1) }) };
}

/** That the last one leaves who pays for it, and that a price comes for what waits for one. */
function callsOfLife({ api, idOf }: Stage, life: DealLife, members: readonly Member[]): Call[] {
  const leave = async () => {
    const path = `/api/customers/${members.at(-1)?.customerId}`;
    expect((await api.patch(path, { billed_to: null })).status).toBe(200);
  };
  const price = async () => {
    for (const { deal, plans } of members)
      for (const [i, { components }] of deal.plans.entries())
        for (const { metricId } of components.filter(takesAddedRow)) {
          const row = { metric_id: idOf(metricId), currency: deal.currency, ...rowBody(deal, ADDED_ROW) };
          await posted(api, `/api/plans/${plans[i]}/prices`, row);
        }
  };
  const { deals, leavesOn, pricesOn } = life;
  return [
    ...(leavesOn === null ? [] : [{ at: instantOf(deals[0], leavesOn, NOON_MS + HOUR_MS), make: leave }]),
    ...(pricesOn === null ? [] : [{ at: instantOf(deals[0], pricesOn, NOON_MS + HOUR_MS), make: price }]),
  ];
}

/** The subscription that is there by now, whether a call or time has switched the one before. */
async function currentOf(api: Api, { subscriptions }: Member): Promise<string> {
  for (;;) {
    const id = subscriptions.at(-1) ?? '';
    const { replaced_by } = (await api.get(`/api/subscriptions/${id}`)).body;
    if (!replaced_by) return id;
    subscriptions.push(String(replaced_by));
  }
}

/** Nothing where the clock is there. */
async function arrive(api: Api, clock: string, at: number): Promise<void> {
  const { frozen_time } = (await api.get(`/api/test-clocks/${clock}`)).body;
  if (Date.parse(String(frozen_time)) >= at) return;
  await advance(api, clock, iso(at));
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
