import { decimal } from '../../core/decimal.ts';
import type { Addon } from '../catalog/addons.ts';
import type { Period } from '../periods/periods.ts';
import type { AddonCharge, ChargeOrigin } from '../pricing/charges.ts';
import type { ChargeTiming } from '../subscriptions/subscription.ts';

/** An attached add-on with what decides which periods it is charged for; indexes of periods, `to` inclusive. */
export type ChargeableAddon = Pick<Addon, 'addonId' | 'name' | 'kind' | 'price'> & {
  addonSubscriptionId: string;
  quantity: number;
  /** The period it was attached in: charged from here on, without proration. */
  from: number;
  /** The period it was canceled in: "not charged from the next period on". Null while it is attached. */
  to: number | null;
  /** The last period that was charged. */
  billedTo: number | null;
};

/** `ended` and `next` are null also where a pause takes the whole period; `invoiced` is the one that the invoice is about. */
export type AddonTerms = {
  chargeTiming: ChargeTiming;
  ended: Period | null;
  next: Period | null;
  invoiced: Period | null;
};

/**
 * What a boundary bills for add-ons (spec/plans#add-ons): a one_time one once, whatever the timing and pauses; the others for the period that
 * ended, and in_advance for the next one too. Each period is charged once, so that one attached in the middle of a period
 * paid in advance is charged for that period and for the next.
 */
export function addonCharges(
  addons: readonly ChargeableAddon[],
  terms: AddonTerms,
  originOf: (period: Period) => ChargeOrigin,
): AddonCharge[] {
  return addons.flatMap((addon) =>
    periodsCharged(addon, terms).map((period) => ({
      ...originOf(period),
      addonSubscriptionId: addon.addonSubscriptionId,
      addonId: addon.addonId,
      addonName: addon.name,
      kind: addon.kind,
      price: addon.price,
      quantity: decimal(addon.quantity),
      periodIndex: period.index,
    })),
  );
}

/** Add-ons as they are once these charges have been made: one that is charged once is no more. */
export function addonsAfter(addons: readonly ChargeableAddon[], charges: readonly AddonCharge[]): ChargeableAddon[] {
  return addons.flatMap((addon) => {
    const ours = charges.filter(({ addonSubscriptionId }) => addonSubscriptionId === addon.addonSubscriptionId);
    if (addon.kind === 'one_time' && ours.length > 0) return [];
    const billedTo = ours.reduce<number | null>((last, one) => Math.max(last ?? -1, one.periodIndex), addon.billedTo);
    return { ...addon, billedTo };
  });
}

function periodsCharged(addon: ChargeableAddon, { chargeTiming, ended, next, invoiced }: AddonTerms): Period[] {
  if (addon.kind === 'one_time') return invoiced === null ? [] : [invoiced];
  const { from, to, billedTo } = addon;
  return [ended, chargeTiming === 'in_advance' ? next : null]
    .filter((period) => period !== null)
    .filter(({ index }) => index >= from && index <= (to ?? index) && index > (billedTo ?? -1));
}
