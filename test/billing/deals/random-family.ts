import { Dice } from '../simulator/dice.ts';
import { dayOfText, startOfDay, textOfDay } from '../simulator/model-calendar.ts';
import { firstDayOf } from '../simulator/model-periods.ts';
import type { Deal, DealCancel, DealChild, DealPlan } from './deal.ts';
import { randomDeal } from './random-deal.ts';

const HOUR = 3_600_000;

/** A deal that the seed decides, of one customer or of one that pays for others. */
export function randomFamily(seed: number): Deal {
  const payer = randomDeal(seed);
  const dice = new Dice(seed ^ 0x5eed);
  if (dice.chance(0.5)) return payer;
  return { ...payer, children: Array.from({ length: dice.int(1, 3) }, () => randomChild(dice, payer)) };
}

/** It begins with the payer or some time behind it, and is often counted like it, so that they end periods at one instant. */
function randomChild(dice: Dice, payer: Deal): DealChild {
  const drawn = randomDeal(dice.int(0, 1_000_000_000), payer.currency);
  const later = dice.pick([0, 0, 30, 31, dice.int(1, 90)]) % payer.days;
  const days = payer.days - later;
  const { zone } = payer;
  const startDate = textOfDay(dayOfText(payer.startDate) + later);
  const plans = dice.chance(0.6)
    ? drawn.plans.map((plan) => countedLike(plan, drawn.plans[0], payer.plans[0]))
    : drawn.plans;
  const shift = startOfDay(dayOfText(startDate), zone) - startOfDay(dayOfText(drawn.startDate), drawn.zone);
  const isLived = ({ day }: { day: number }) => day < days - 1;
  const begun = { ...drawn, zone, startDate, days, plans, children: [] };
  const deal: Deal = {
    ...begun,
    ...{ switches: drawn.switches.filter(isLived), phases: drawn.phases.filter(isLived) },
    ...{ addons: drawn.addons.filter(isLived), additions: drawn.additions.filter(isLived) },
    cancel: drawn.cancel && isLived(drawn.cancel) ? atAnEnd(dice, begun, drawn.cancel) : null,
    pauses: drawn.pauses.filter(({ to }) => to < days - 1),
    events: drawn.events.map(({ landsAt, ...event }) => {
      return { ...event, time: event.time + shift, ...(landsAt !== undefined && { landsAt: landsAt + shift }) };
    }),
  };
  const [joins, leaves] = [dice.chance(0.4), dice.chance(0.4)];
  const [one = 1, other = 1] = [someDay(dice, deal), someDay(dice, deal)].toSorted((a, b) => a - b);
  const moment = (day: number) => startOfDay(dayOfText(startDate) + day, zone) + dice.pick([0, 13 * HOUR]);
  const stays = !joins && !leaves;
  return {
    deal: { ...deal, ...(stays ? {} : { taxRate: payer.taxRate }), ...(joins ? {} : { credit: '0' }) },
    joinsAt: joins ? moment(one) : null,
    leavesAt: leaves ? moment(other) + 1 : null,
  };
}

/** Where its terms are those of the plan that is begun with, those of the payer's. */
function countedLike(plan: DealPlan, own: DealPlan | undefined, payer: DealPlan | undefined): DealPlan {
  const isAlike = (['days', 'calendar', 'anchorDay', 'billsMonths'] as const).every((one) => plan[one] === own?.[one]);
  if (!payer || !isAlike) return plan;
  const { days, calendar, anchorDay, billsMonths } = payer;
  return { ...plan, days, calendar, anchorDay, billsMonths };
}

/** Often the very one on which a period ends. */
function someDay(dice: Dice, deal: Deal): number {
  const end = endOf(deal, dice.int(1, 3));
  return dice.chance(0.5) && end <= deal.days ? end : dice.int(1, deal.days);
}

/** Of a period by the plan that is begun with. */
function endOf({ trialDays, plans: [plan], startDate }: Deal, k: number): number {
  const first = dayOfText(startDate);
  return plan ? firstDayOf({ ...plan, startDate: textOfDay(first + trialDays) }, k) - first : 0;
}

/** Often planned for the first end of a period behind its day. */
function atAnEnd(dice: Dice, deal: Deal, cancel: DealCancel): DealCancel {
  const end = [1, 2, 3, 4, 5, 6].map((k) => endOf(deal, k)).find((day) => day > cancel.day);
  return dice.chance(0.6) && end && end < deal.days ? { ...cancel, day: end - 1, isPlanned: true } : cancel;
}
