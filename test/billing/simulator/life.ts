/**
 * A customer's life as plain data, and what came of it: the language that the core's and the model's side share. It knows
 * nothing of billing/. Numbers are decimal texts, instants milliseconds, dates `YYYY-MM-DD`.
 */
export type LifeTier = { upTo: string | null; unitPrice: string; flatFee: string };

export type LifeComponent = {
  metricId: string;
  pricingModel: 'per_unit' | 'tiered' | 'volume' | 'package';
  rounding: 'round_down' | 'round_up' | 'round_nearest' | 'no_rounding';
  freeTier: string;
  price: string | null;
  packageSize: string | null;
  tiers: LifeTier[] | null;
  prepaid: string;
};

export type LifeMetric = { metricId: string; aggregation: 'count' | 'sum' | 'max' | 'unique'; eventName: string };

export type LifeAddon = { addonId: string; kind: 'one_time' | 'recurring' | 'quantity'; price: string };

export type LifeSubscription = {
  subscriptionId: string;
  startDate: string;
  days: 30 | 90 | 365;
  /** Periods of so many days, or of 1, 3 or 12 months: from the start date, or from the anchor day of the calendar's months. */
  calendar: 'fixed_days' | 'anniversary' | 'calendar';
  anchorDay: number | null;
  timing: 'in_arrears' | 'in_advance';
  fee: string;
  components: LifeComponent[];
  /** Units of its own by metric, which go before those of the component. */
  ownPrepaid: Record<string, string>;
};

export type LifeEvent = { eventName: string; time: number; value: string | null };

/** `which` counts back from the newest record. A move may be refused; then it changes nothing. */
export type Move = { at: number } & (
  | { do: 'track'; event: LifeEvent }
  | { do: 'attach'; subscription: number; addon: number; quantity: number }
  | { do: 'detach'; subscription: number; addon: number }
  | { do: 'endRenewal'; subscription: number }
  | { do: 'prepay'; subscription: number; metric: string; units: string; now: boolean }
  | { do: 'setTax'; rate: string }
  | { do: 'setZone'; zone: string }
  | { do: 'setLateUsage'; policy: 'next_invoice' | 'ignore' }
  | { do: 'grant'; amount: string; days: number | null }
  | { do: 'voidCredit'; which: number }
  | { do: 'moveExpiry'; which: number; days: number | null }
  | { do: 'pay' | 'void' | 'giveUp'; which: number }
  | { do: 'refund'; which: number; amount: string | null; method: 'bank_transfer' | 'store_credit' }
  | { do: 'settle'; which: number; trigger: 'complete' | 'cancel' }
  | { do: 'look' }
);

export type Life = {
  seed: number;
  currency: string;
  /** Decimals of its money. */
  places: number;
  zone: string;
  taxRate: string;
  graceSeconds: number;
  metrics: LifeMetric[];
  addons: LifeAddon[];
  subscriptions: LifeSubscription[];
  moves: Move[];
  startsAt: number;
  endsAt: number;
};

export type LineEntry = {
  type: string;
  subscription: string | null;
  metric: string | null;
  addon: string | null;
  credit: string | null;
  from: number | null;
  to: number | null;
  quantity: string | null;
  billable: string | null;
  unitPrice: string | null;
  amount: string;
  /** Quantity and exact amount of each tier used. */
  tiers: [string, string][];
  events: string | null;
};

export type AmountsEntry = {
  lines: LineEntry[];
  subtotal: string;
  tax: string;
  total: string;
  credits: string;
  due: string;
  overpayment: string;
  status: string;
};

export type InvoiceEntry = AmountsEntry & {
  kind: string;
  subscription: string;
  from: number;
  to: number;
};

/** All the customer's records, and what the ledger says of them. */
export type RecordsEntry = {
  invoices: { id: string; status: string; due: string; paid: string; refunded: string }[];
  credits: { id: string; left: string; status: string }[];
  refunds: { amount: string; status: string }[];
  ledger: Record<string, string>;
};

/** What came of a life, in order. */
export type Entry =
  | ({ entry: 'invoice'; at: number; id: string; issued: string } & InvoiceEntry)
  | ({ entry: 'draft'; at: number; parts: InvoiceEntry[] } & AmountsEntry)
  | ({ entry: 'records'; at: number } & RecordsEntry)
  | { entry: 'move'; at: number; do: Move['do']; outcome: 'done' | 'refused' };

/** `prefix_0007`: ids whose order as texts is that of their making. */
export function idOf(prefix: string, n: number): string {
  return `${prefix}_${String(n).padStart(4, '0')}`;
}
