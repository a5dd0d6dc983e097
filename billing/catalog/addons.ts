import type { Decimal } from '../../core/decimal.ts';
import type { Instant } from '../../core/instants.ts';

/** `one_time`: once, on the next invoice; `recurring`: every period; `quantity`: every period, price times quantity. */
export type AddonKind = 'one_time' | 'recurring' | 'quantity';

/** spec/plans#add-ons. `price` in major units, `currency` the upper-case code. */
export type Addon = {
  addonId: string;
  name: string;
  kind: AddonKind;
  price: Decimal;
  currency: string;
  status: 'active' | 'archived';
  createdAt: Instant;
};

/** What attaching an add-on to a subscription gives (spec/plans#add-ons). */
export type AddonSubscription = {
  addonSubscriptionId: string;
  addonId: string;
  subscriptionId: string;
  quantity: number;
  status: 'active' | 'canceled';
  attachedAt: Instant;
};
