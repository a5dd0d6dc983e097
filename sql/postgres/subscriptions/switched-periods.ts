import type { SwitchedPeriod } from '../../../billing/periods/usage-windows.ts';
import type { Decimal } from '../../../core/decimal.ts';
import { isoFromInstant } from '../../../core/instants.ts';
import { stringifyExactJson } from '../../../runtime/exact-json.ts';
import { instantOfJson, type Transaction } from '../postgres.ts';

/** `periods.carried`, whose keys releases share. Numbers in stored JSON come back as decimals, instants as text. */
type CarriedRow = {
  stretches: {
    subscription_id: string;
    plan_id: string;
    version: Decimal;
    at: string;
    on: string;
    /** Switches of earlier releases have none. */
    credited?: { invoice_id: string | null; amount: Decimal; of_fee?: Decimal }[];
  }[];
  usages: {
    plan_id: string;
    version: Decimal;
    metric_id: string;
    starts_at: string;
    ends_at: string;
    prepaid_units: Decimal;
    moves_units: boolean;
  }[];
  usage_from: { all: string; metrics: Record<string, string> };
};

/** Keeps what a switch has left to a subscription's first period. */
export async function updatePeriodSwitched(
  tx: Transaction,
  accountId: string,
  { subscriptionId, switched }: { subscriptionId: string; switched: SwitchedPeriod },
): Promise<void> {
  const { plans, windows, usageFrom } = switched;
  const row = {
    stretches: plans.map(({ subscriptionId: id, planId, version, at, on, credited }) => ({
      ...{ subscription_id: id, plan_id: planId, version, at: isoFromInstant(at), on },
      ...(credited && {
        credited: credited.map(({ invoiceId, amount, ofFee }) => {
          return { invoice_id: invoiceId, amount, ...(ofFee && { of_fee: ofFee }) };
        }),
      }),
    })),
    usages: windows.map((usage) => ({
      plan_id: usage.planId,
      version: usage.version,
      metric_id: usage.metricId,
      starts_at: isoFromInstant(usage.startsAt),
      ends_at: isoFromInstant(usage.endsAt),
      prepaid_units: usage.prepaidUnits,
      moves_units: usage.movesUnits,
    })),
    usage_from: {
      all: isoFromInstant(usageFrom.all),
      metrics: Object.fromEntries(Object.entries(usageFrom.metrics).map(([id, at]) => [id, isoFromInstant(at)])),
    },
  };
  await tx.query(
    'UPDATE periods SET carried = $3 WHERE account_id = $1 AND subscription_id = $2 AND period_index = 0',
    [accountId, subscriptionId, stringifyExactJson(row)],
  );
}

/** What switches have left to the first periods of these subscriptions, by subscription; one that no switch has made is not there. */
export async function listSwitchedPeriods(
  tx: Transaction,
  accountId: string,
  subscriptionIds: string[],
): Promise<Map<string, SwitchedPeriod>> {
  if (subscriptionIds.length === 0) return new Map();
  const { rows } = await tx.query<{ subscription_id: string; carried: CarriedRow }>(
    `SELECT subscription_id, carried FROM periods
     WHERE account_id = $1 AND subscription_id = ANY($2) AND carried IS NOT NULL`,
    [accountId, subscriptionIds],
  );
  return new Map(rows.map((row) => [row.subscription_id, switchedFromRow(row.carried)]));
}

/** What switches have left to the subscription's first period; null where no switch has made it. */
export async function findSwitchedPeriod(
  tx: Transaction,
  accountId: string,
  subscriptionId: string,
): Promise<SwitchedPeriod | null> {
  return (await listSwitchedPeriods(tx, accountId, [subscriptionId])).get(subscriptionId) ?? null;
}

function switchedFromRow({ stretches, usages, usage_from }: CarriedRow): SwitchedPeriod {
  return {
    plans: stretches.map((row) => ({
      subscriptionId: row.subscription_id,
      planId: row.plan_id,
      version: row.version.toNumber(),
      at: instantOfJson(row.at),
      on: row.on,
      ...(row.credited && {
        credited: row.credited.map(({ invoice_id: invoiceId, amount, of_fee: ofFee }) => {
          return { invoiceId, amount, ...(ofFee && { ofFee }) };
        }),
      }),
    })),
    windows: usages.map((row) => ({
      planId: row.plan_id,
      version: row.version.toNumber(),
      metricId: row.metric_id,
      startsAt: instantOfJson(row.starts_at),
      endsAt: instantOfJson(row.ends_at),
      prepaidUnits: row.prepaid_units,
      movesUnits: row.moves_units,
    })),
    usageFrom: {
      all: instantOfJson(usage_from.all),
      metrics: Object.fromEntries(Object.entries(usage_from.metrics).map(([id, at]) => [id, instantOfJson(at)])),
    },
  };
}
