import type { DealDiscount } from '../deals/deal.ts';
import type { Life, LifePlan, LifeStep, Outcome } from '../lives/life.ts';

/** A worked example of how money goes back: a life, and what it comes to. */
export type Example = {
  /** Unique, and kept when examples are added. */
  id: string;
  /** What happens, in words. */
  title: string;
  /** The arithmetic, or the rule. */
  why: string;
  life: Life;
  /** The fields of the outcome that the rule decides. */
  expected: Partial<Outcome>;
  /** The same fields as long as the rule is not kept. A change that makes the rule hold removes them. */
  today?: Partial<Outcome>;
  /** The copies of the services in memory cannot perform the life. */
  plays?: 'on the stack';
};

/** The customer that most examples are about. */
export const A = { id: 'a' };

/** A plan without a fee whose component bills 1.00 per unit. */
export const CALLS: LifePlan = { fee: '0', timing: 'in_arrears', components: [{ metric: 'calls', price: '1' }] };

export const percent = (value: string, periods: number | null = null): DealDiscount => ({
  ...{ off: { percent: value }, periods },
});
export const amount = (value: string, periods: number | null = null): DealDiscount => ({
  ...{ off: { amount: value }, periods },
});

/** Plans in advance, of these fees, named by them. */
export function fees(...all: string[]): Record<string, LifePlan> {
  return Object.fromEntries(all.map((fee) => [fee, { fee }]));
}

/** A life of one customer. */
export function lifeOf(plans: Record<string, LifePlan>, steps: LifeStep[], until: number): Life {
  return { customers: [A], plans, steps, until };
}

export const subscribe = (plan: string, ...discounts: DealDiscount[]): LifeStep => ({
  ...{ at: 0, do: 'subscribe', plan, discounts },
});

export const pay = (at: number): LifeStep => ({ at, do: 'pay' });
export const use = (at: number, value: string, of = at): LifeStep => ({ at, do: 'use', metric: 'calls', value, of });
export const to = (plan: string, at: number): LifeStep => ({ at, do: 'switch', plan, invoicing: 'now' });
export const toLater = (plan: string, at: number): LifeStep => ({ at, do: 'switch', plan, invoicing: 'next' });
export const cancel = (at: number): LifeStep => ({ at, do: 'cancel', invoicing: 'now' });
export const redeem = (at: number, discount = percent('50')): LifeStep => ({ at, do: 'redeem', discount });
