import { BigNumber } from 'bignumber.js';
import type { Deal, DealPlan } from './deal.ts';
import type { Life } from './model-life.ts';
import { type Amount, exact, type Line, sum, total } from './model-lines.ts';

/** Of the latest invoice first, then of what is on none yet: never more than was charged there, nor, with tax, than is left of it. */
export function credit(life: Life, wanted: Amount, share: Amount): void {
  let amount = exact(0);
  const waits = (one: Line) => (one.invoice ? 0 : 1);
  const latest = life.ahead.toReversed().toSorted((a, b) => waits(a) - waits(b));
  for (const [invoice, lines] of Map.groupBy(latest, (one) => one.invoice)) {
    const charged = invoice ? total(lines).minus(sum(lines.map(({ off }) => off))) : total(lines).times(share).dp(2);
    const left = charged.minus(sum(lines.map((one) => one.back)));
    let back = BigNumber.max(BigNumber.min(wanted.minus(amount), left), 0);
    if (invoice && withTax(life, back).gt(invoice.left)) back = withoutTax(life, invoice.left);
    if (invoice) invoice.left = invoice.left.minus(withTax(life, back));
    for (const one of lines.slice(0, 1)) one.back = one.back.plus(back);
    amount = amount.plus(back);
  }
  if (amount.gt(0)) life.outcome.credits.push(amount.toFixed());
}

export function withTax({ deal }: Life, net: Amount): Amount {
  return net.plus(net.times(deal.taxRate).div(100).dp(2));
}

export function withoutTax({ deal }: Life, whole: Amount): Amount {
  return whole.times(100).div(exact(100).plus(deal.taxRate)).dp(2);
}

/** What percentages leave of a fee: in advance those of the invoice that charged it, in arrears those of now. */
export function shareLeft({ deal, used, feeShare }: Life, { timing }: DealPlan): Amount {
  return timing === 'in_advance'
    ? feeShare
    : percentsLeft(deal, (i) => (deal.discounts[i]?.periods ?? Infinity) > (used[i] ?? 0));
}

export function percentsLeft({ discounts, discountedTypes }: Deal, acts: (i: number) => boolean): Amount {
  if (discountedTypes !== null && !discountedTypes.includes('recurring_fee')) return exact(1);
  return discounts.reduce((left, { off }, i) => {
    return 'percent' in off && acts(i) ? left.times(exact(100).minus(off.percent)).div(100) : left;
  }, exact(1));
}
