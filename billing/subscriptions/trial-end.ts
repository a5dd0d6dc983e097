import { conflict, invalid } from '../../core/domain-error.ts';
import { type Instant, type LocalDate, localDateAt } from '../../core/instants.ts';
import { trialEndErrors, trialPeriod } from '../periods/trials.ts';
import { isLive } from './states.ts';
import type { Subscription } from './subscription.ts';

/**
 * The subscription with a trial that ends on another day (spec/subscriptions#trials). What is planned for its very end goes along,
 * but for the end on a date, its `end_date`.
 * @throws DomainError `invalid` for a day that is not after today; `conflict` where no trial goes on.
 */
export function withTrialEnd(
  subscription: Subscription,
  endsOn: LocalDate,
  { at, timeZone }: { at: Instant; timeZone: string },
): Subscription {
  const { startDate, status, currentPeriod, trialEndsOn, endDate, plannedCancel, plannedSwitch } = subscription;
  const errors = trialEndErrors(endsOn, { startDate, today: localDateAt(at, timeZone) });
  if (Object.keys(errors).length > 0) throw invalid(errors);
  if (trialEndsOn === null) throw conflict(`The subscription is ${status} and has no trial.`);
  if (!isLive(status) || !currentPeriod.trial || at >= currentPeriod.endsAt) {
    throw conflict(`The subscription is ${status}, and its trial is over.`);
  }
  const { endsAt: endedAt } = currentPeriod;
  const moved = trialPeriod(subscription, { startDate, endDate: endsOn, timeZone: currentPeriod.timeZone });
  const { endsAt } = moved;
  return {
    ...subscription,
    currentPeriod: moved,
    trialEndsOn: endsOn,
    plannedCancel: plannedCancel?.at === endedAt && endDate === null ? { ...plannedCancel, at: endsAt } : plannedCancel,
    plannedSwitch:
      plannedSwitch?.at === endedAt ? { ...plannedSwitch, at: endsAt, effectiveDate: endsOn } : plannedSwitch,
  };
}
