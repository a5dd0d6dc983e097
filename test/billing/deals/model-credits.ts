import { BigNumber } from 'bignumber.js';
import type { Deal, DealPlan } from './deal.ts';
import type { Life } from './model-life.ts';
import { type Amount, exact, type Line, rounded, sum } from './model-lines.ts';

/** What discounts have left of lines. */
export function net(lines: Line[]): Amount {
  return sum(lines.map(({ amount, off }) => amount.minus(off)));
}

/**
 * Gives back of the latest invoice first, then of what is on none yet, of which `waiting` could be: never more than was charged for the
 * period and has not gone back, `spent` of it just now; nor, with tax, than is left of an invoice. Answers what it was.
 */
export function credit(life: Life, wanted: Amount, waiting: Amount, spent = exact(0)): Amount {
  const charged = life.ahead.filter(({ invoice }) => invoice);
  const left = net(charged).plus(waiting).minus(spent).minus(life.gone).minus(life.goneWaiting);
  const amount = BigNumber.min(wanted, left);
  let rest = amount;
  for (const [invoice, lines] of Map.groupBy(charged.toReversed(), ({ invoice }) => invoice)) {
    if (!invoice) continue;
    const most = BigNumber.max(BigNumber.min(net(lines), rest), 0);
    const isShort = withTax(life, most).gt(invoice.left);
    const back = isShort ? withoutTax(life, invoice.left) : most;
    const whole = isShort ? invoice.left : withTax(life, most);
    if (back.isZero()) continue;
    invoice.left = invoice.left.minus(whole);
    Object.assign(life, { credits: life.credits.plus(whole), gone: life.gone.plus(back) });
    rest = rest.minus(back);
  }
  const ofWaiting = BigNumber.max(BigNumber.min(rest, waiting.minus(spent).minus(life.goneWaiting)), 0);
  life.goneWaiting = life.goneWaiting.plus(ofWaiting);
  life.credits = life.credits.plus(withTax(life, ofWaiting));
  const given = amount.minus(rest).plus(ofWaiting);
  if (given.gt(0)) life.outcome.credits.push(given.toFixed());
  return given;
}

export function taxOf(deal: Deal, net: Amount): Amount {
  return rounded(deal, net.times(deal.taxRate).div(100));
}

export function withTax({ deal }: Life, net: Amount): Amount {
  return net.plus(taxOf(deal, net));
}

export function withoutTax({ deal }: Life, whole: Amount): Amount {
  return rounded(deal, whole.times(100).div(exact(100).plus(deal.taxRate)));
}

/** What percentages leave of a fee: of now, and what a credit is less: in advance those of the invoice that charged it. */
export function sharesLeft(
  { deal, used, feeShare, ahead }: Life,
  { timing }: DealPlan,
): { now: Amount; credit: Amount } {
  const now = percentsLeft(deal, (i) => (deal.discounts[i]?.periods ?? Infinity) > (used[i] ?? 0));
  const isCharged = timing === 'in_advance' && ahead.some(({ invoice }) => invoice);
  return { now, credit: isCharged ? feeShare : now };
}

export function percentsLeft({ discounts, discountedTypes }: Deal, acts: (i: number) => boolean): Amount {
  if (discountedTypes !== null && !discountedTypes.includes('recurring_fee')) return exact(1);
  return discounts.reduce((left, { off }, i) => {
    return 'percent' in off && acts(i) ? left.times(exact(100).minus(off.percent)).div(100) : left;
  }, exact(1));
}
