import { dayOfText, startOfDay } from '../simulator/model-calendar.ts';
import type { Deal, DealOutcome } from './deal.ts';
import { CALL, lifeOf, type Next } from './model-life.ts';
import { Bills, Payer } from './model-money.ts';

/**
 * The rules of deals told as simply as they can be told, with a calendar and numbers of their own. Nothing of billing/ is asked. Whatever comes next
 * of anybody happens; once time makes nothing else due at an instant, what it has left there is one invoice of who pays for others.
 */
export function modelDeal(deal: Deal): DealOutcome {
  const outcome: DealOutcome = { invoices: [], credits: [] };
  const payer = new Payer(0, deal, outcome);
  const bills = [new Bills(deal, payer)];
  const moves: Next[] = [];
  for (const { deal: own, joinsAt, leavesAt } of deal.children) {
    const child = new Bills(own, new Payer(bills.length, own, outcome));
    const itself = child.payer;
    const move = (at: number, to: Payer): Next => ({ at, rank: CALL, happen: () => child.moveTo(to) });
    if (joinsAt === null) child.moveTo(payer);
    else moves.push(move(joinsAt, payer));
    if (leavesAt !== null) moves.push(move(leavesAt, itself));
    bills.push(child);
  }
  const lives = [deal, ...deal.children.map((child) => child.deal)].map((one, i) => lifeOf(one, bills[i] as Bills));
  const soonest = () =>
    [...moves, ...lives.flatMap((next) => next() ?? [])].toSorted((a, b) => a.at - b.at || a.rank - b.rank)[0];
  const end = startOfDay(dayOfText(deal.startDate) + deal.days, deal.zone);
  for (let next = soonest(); next && next.at <= end; next = soonest()) {
    if (moves.includes(next)) moves.splice(moves.indexOf(next), 1);
    next.happen();
    const then = soonest();
    if (!then || then.rank === CALL || then.at > next.at) payer.issueWaiting();
  }
  return {
    invoices: outcome.invoices.toSorted((a, b) => a.customer - b.customer),
    credits: bills.flatMap(({ credits }) => credits),
  };
}
