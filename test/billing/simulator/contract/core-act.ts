import type { PriceRow } from '../../../../billing/pricing/price-book.ts';
import type { CancelRequest } from '../../../../billing/subscriptions/cancel.ts';
import type { Plan } from '../../../../billing/subscriptions/subscription.ts';
import type { SwitchRequest } from '../../../../billing/subscriptions/switch.ts';

/** What a call asks for; `newPlan` is the plan of a switch as it is agreed on. */
export type CoreAct =
  | { do: 'switch'; request: SwitchRequest; newPlan: Plan | undefined }
  | { do: 'pause'; resumesAt?: number }
  | { do: 'resume' }
  | { do: 'add_price'; planId: string; metricId: string; row: PriceRow }
  | { do: 'attach'; addon: number; kind?: 'one_time' | 'recurring' }
  | { do: 'cancel'; request: CancelRequest };
