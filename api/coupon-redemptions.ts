import { Counter, type Registry } from '@prometheus-io/client';
import { DomainError } from '../core/domain-error.ts';

/** Counts what becomes of a call that redeems `coupons` of them, and is no preview: all are redeemed, or it is refused. */
export type CountRedemptions = <T>(coupons: number, inspected: object | undefined, call: Promise<T>) => Promise<T>;

const OUTCOMES = ['redeemed', 'refused'] as const;

/** The metric `meterbook_coupon_redemptions_total`. A call of another cause than its coupon is refused alike: nothing is redeemed. */
export function countedRedemptions(registry: Registry): CountRedemptions {
  const redemptions = new Counter({
    name: 'meterbook_coupon_redemptions_total',
    help: 'Coupons that calls have asked to redeem, by what became of the call.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  for (const outcome of OUTCOMES) redemptions.inc({ outcome }, 0);
  return async (coupons, inspected, call) => {
    if (coupons === 0 || inspected) return call;
    try {
      const answer = await call;
      redemptions.inc({ outcome: 'redeemed' }, coupons);
      return answer;
    } catch (error) {
      if (error instanceof DomainError) redemptions.inc({ outcome: 'refused' }, coupons);
      throw error;
    }
  };
}
