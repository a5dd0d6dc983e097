import type { SwitchCharge } from '../../billing/credits/charged-fee.ts';
import { isOfSwitches } from '../../billing/credits/switch-charges.ts';
import { sectionsSince } from '../../billing/decide/issue-input.ts';
import type { Issued } from '../../billing/decide/issue-invoices.ts';
import { type BoundaryCharges, type BoundaryInput, joinCharges } from '../../billing/invoices/boundary-charges.ts';
import { chargesInTurn } from '../../billing/invoices/charges-in-turn.ts';
import { linesLeft } from '../../billing/invoices/compute-invoice.ts';
import type { NewInvoiceLine } from '../../billing/invoices/invoice.ts';
import { endsFreeTrial, headOfEnd } from '../../billing/invoices/opening-invoice.ts';
import { billableLines, billedLate } from '../../billing/invoices/pending-items.ts';
import { lateBehind, limitedAfter, limitedAmountOf } from '../../billing/metering/late-true-ups.ts';
import type { CountedLate } from '../../billing/metering/late-usage.ts';
import { countsOf } from '../../billing/metering/line-counts.ts';
import type { Period } from '../../billing/periods/periods.ts';
import { holdersOf, type SwitchWithin, switchesIn } from '../../billing/periods/segments.ts';
import { type LimitedSoFar, limitedSoFar, NONE_SO_FAR } from '../../billing/pricing/limits.ts';
import type { KeptAmount } from '../../billing/state/billing-rules.ts';
import type { Subscription } from '../../billing/subscriptions/subscription.ts';
import { currencyOf } from '../../core/currencies.ts';
import type { Instant } from '../../core/instants.ts';
import { insertBilledUsage } from '../../sql/postgres/invoices/billed-usage.ts';
import { limitedKey, listLimitedLines, upsertLimitedAmounts } from '../../sql/postgres/invoices/limited-amounts.ts';
import { insertPendingItems, listPendingItems } from '../../sql/postgres/invoices/pending-items.ts';
import { lockSwitchCharges } from '../../sql/postgres/invoices/switch-charges.ts';
import { upsertWatermarks } from '../../sql/postgres/invoices/usage-watermarks.ts';
import { type Transaction, withoutAnswers } from '../../sql/postgres/postgres.ts';
import { listChargeableAddonsOf, updateAddonsBilled } from '../../sql/postgres/subscriptions/addon-subscriptions.ts';
import { updateNextFeeTaken } from '../../sql/postgres/subscriptions/pending-invoices.ts';
import { listOwnPrepaidUnitsOf } from '../../sql/postgres/subscriptions/prepaid-units.ts';
import { type Issuing, issueInvoices } from './issue-invoices.ts';
import { lockCharged, lockCreditsFor, switchesBilledBy } from './lock-charged.ts';
import { lockWaiting } from './lock-waiting.ts';

/** Whom boundaries bill, and when in the customer's time; usage counts up to the cutoff. */
export type Billed = Issuing & { usageCutoff: bigint };

/**
 * `scheduled` boundaries always make their invoice, also at zero; `where_due` makes none where nothing is due: after a
 * pause, and for an immediate cancel (spec/subscriptions#pause).
 */
type BillOptions = {
  kind: 'period' | 'closing';
  making: 'scheduled' | 'where_due';
  /** Late usage that was counted; an account may have it ignored. */
  late: readonly CountedLate[];
};

/** A boundary with what it charges, as {@link chargeBoundaries} has kept it, and what a switch begins with it. */
export type Bill = BillOptions & { boundary: BoundaryInput; charges: BoundaryCharges; begun?: Begun | null };

/** The subscription that a switch begins with the boundary, and what is due at its start; null for nothing. */
export type Begun = { subscription: Subscription; charges: BoundaryCharges | null };

/** Makes the invoice of one boundary, as {@link issueBills}. */
export async function saveBill(
  tx: Transaction,
  billed: Billed,
  boundary: BoundaryInput,
  options: BillOptions,
): Promise<Issued | null> {
  const charges = await chargeBoundary(tx, billed, boundary, options.late);
  const [issued] = await issueBills(tx, billed, [{ ...options, boundary, charges }]);
  return issued ?? null;
}

/** Whether invoices are made of what boundaries charge, or its lines wait for one. */
type ChargedTo = 'invoices' | 'waiting';

/** {@link chargeBoundaries} of one. */
export async function chargeBoundary(
  tx: Transaction,
  billed: Billed,
  boundary: BoundaryInput,
  late: readonly CountedLate[],
  to: ChargedTo = 'invoices',
): Promise<BoundaryCharges> {
  const [charges] = await chargeBoundaries(tx, billed, [boundary], late, to);
  if (!charges) throw new Error(`nothing was charged for ${boundary.subscriptionId}`);
  return charges;
}

/**
 * What boundaries charge, by the add-ons and prepaid units of now (their subscriptions are locked), kept so that it is billed once
 * and late usage is told from it. `late`: what comes late on the same invoices.
 */
export async function chargeBoundaries(
  tx: Transaction,
  billed: Billed,
  boundaries: readonly BoundaryInput[],
  late: readonly CountedLate[],
  to: ChargedTo = 'invoices',
): Promise<BoundaryCharges[]> {
  const { accountId } = billed.account;
  const ids = boundaries.map(({ subscriptionId }) => subscriptionId);
  const soFar = await readLimitedSoFar(tx, accountId, boundaries);
  const [units, addons] = await Promise.all([
    listOwnPrepaidUnitsOf(tx, accountId, ids),
    listChargeableAddonsOf(tx, accountId, ids),
  ]);
  const switches = boundaries.flatMap(switchesBilledBy);
  const charges = await lockChargesOf(tx, billed, switches, to);
  const chargesOf = Map.groupBy(charges, ({ subscriptionId }) => subscriptionId);
  const { charge } = chargesInTurn();
  const charged = boundaries.map((boundary): ChargedBoundary => {
    const { subscriptionId } = boundary;
    const terms = { prepaidUnits: units.get(subscriptionId) ?? [], addons: addons.get(subscriptionId) ?? [] };
    const switchCharges = switchesOf(boundary).flatMap((one) => chargesOf.get(one.subscriptionId) ?? []);
    return { boundary, charges: charge({ ...boundary, ...terms, switchCharges, limitedSoFar: soFar(boundary) }) };
  });
  await keepBilled(tx, billed, charged, late);
  return charged.map(({ charges }) => charges);
}

/**
 * Makes the invoices of boundaries, in their order, the first one with what waits for the customer's next one; null where none is
 * made. What a switch begins is on the same invoice: within a period that is its opening one, "else a closing one"
 * (spec/subscriptions#switch).
 */
export async function issueBills(tx: Transaction, billed: Billed, bills: readonly Bill[]): Promise<(Issued | null)[]> {
  const { account, customer, usageCutoff } = billed;
  const { accountId } = account;
  const { customerId } = customer;
  await lockCreditsFor(tx, billed);
  const pending = billableLines(await listPendingItems(tx, accountId, customerId, { lock: true }), account);
  const wanted = bills.map(({ boundary, charges: ended, begun = null, kind, making, late: counted }, i) => {
    const late = billedLate(counted, account);
    const charges = begun?.charges ? joinCharges(ended, begun.charges) : ended;
    const taken = i === 0 ? pending : { lines: [], counts: [] };
    const { kind: kindMade, ...about } = headOf(boundary, kind, begun);
    const charged = { ...charges, late, kind: kindMade, pending: taken.lines };
    const counts = [...taken.counts, ...countsOf({ usages: charges.usages, late }, usageCutoff)];
    const onlyIfDue = making === 'where_due' || endsFreeTrial(boundary);
    return { ...about, charged, onlyIfDue, counts, ...(i === 0 && { taken: pending }) };
  });
  const issued = await issueInvoices(tx, billed, wanted);
  const begunAddons = bills.flatMap(({ begun }, i) => (issued[i] ? (begun?.charges?.addons ?? []) : []));
  await updateAddonsBilled(withoutAnswers(tx), accountId, begunAddons);
  return issued;
}

/** Whose invoice it is, of which kind, and for which period. */
function headOf(boundary: BoundaryInput, kind: BillOptions['kind'], begun: Begun | null) {
  if ((kind === 'closing' || endsFreeTrial(boundary)) && begun?.charges) {
    const { subscriptionId, currentPeriod: period } = begun.subscription;
    return { kind: 'opening' as const, subscriptionId, period };
  }
  const { subscriptionId } = boundary;
  const { kind: made, period } = headOfEnd(boundary, kind);
  return { kind: made, subscriptionId, period: period ?? endedBy(boundary) };
}

/**
 * Leaves what a boundary bills for the customer's next invoice. A line is rounded once, here; its tax is that of the moment
 * of issue, and so is whether late usage is billed.
 */
export async function savePendingItems(
  tx: Transaction,
  billed: Billed,
  boundary: BoundaryInput,
  late: readonly CountedLate[],
): Promise<void> {
  const { account, customer, usageCutoff } = billed;
  const { accountId } = account;
  const charges = await chargeBoundary(tx, billed, boundary, late, 'waiting');
  const places = currencyOf(customer.currency).exponent;
  const lines = linesLeft({ ...charges, late, pending: [] }, places);
  if (lines.length === 0) return;
  const owner = { customerId: customer.customerId, subscriptionId: boundary.subscriptionId };
  const counts = countsOf({ usages: charges.usages, late }, usageCutoff);
  await insertPendingItems(tx, accountId, owner, lines, counts);
}

/**
 * What switches have charged, of which what their periods did not use is taken back; the invoices are locked, all at once, so that none is
 * refunded or voided meanwhile. A section of the very instant is named by another by its stand-in, since both come to one invoice.
 */
async function lockChargesOf(
  tx: Transaction,
  billed: Billed,
  switches: readonly SwitchWithin[],
  to: ChargedTo,
): Promise<SwitchCharge[]> {
  if (switches.length === 0) return [];
  const { account, customer, now } = billed;
  const { accountId } = account;
  const named = to === 'waiting' ? null : sectionsSince(billed);
  const isOf = (line: NewInvoiceLine) => isOfSwitches(line, switches);
  const isNamed = (_line: NewInvoiceLine, dueAt: Instant) => dueAt === named;
  const pending = await listPendingItems(tx, accountId, customer.customerId, { lock: false });
  const charges = await lockCharged(tx, { accountId, customer, now, isOf, isNamed }, () =>
    lockSwitchCharges(tx, accountId, switches),
  );
  await lockWaiting(tx, accountId, customer, pending, isOf);
  return charges;
}

type ChargedBoundary = { boundary: BoundaryInput; charges: BoundaryCharges };

/** The switches within the period that a boundary ends. */
function switchesOf({ ended }: BoundaryInput): SwitchWithin[] {
  return switchesIn(ended?.segments ?? []);
}

/** What invoices before say of the billing periods of plans with limits, one before in this transaction too. */
async function readLimitedSoFar(tx: Transaction, accountId: string, boundaries: readonly BoundaryInput[]) {
  const limited = boundaries.filter(({ ended }) => ended?.segments.some(({ plan }) => plan.limits));
  const holders = limited.flatMap(({ ended }) => holdersOf(ended?.segments ?? []));
  const since = Math.min(...limited.flatMap(({ ended }) => ended?.billing.startsAt ?? []));
  const lines = await listLimitedLines(tx, accountId, holders, since);
  return ({ ended }: BoundaryInput): LimitedSoFar =>
    ended === null ? NONE_SO_FAR : limitedSoFar(lines, holdersOf(ended.segments), ended);
}

async function keepBilled(
  tx: Transaction,
  { account, customer, usageCutoff }: Billed,
  charged: readonly ChargedBoundary[],
  late: readonly CountedLate[],
): Promise<void> {
  const { accountId } = account;
  const addons = charged.flatMap(({ boundary, charges }) => (boundary.fixedAddons ? [] : charges.addons));
  await updateAddonsBilled(tx, accountId, addons);
  for (const { boundary } of charged) {
    if (boundary.pendingOpening) await updateNextFeeTaken(tx, accountId, boundary.pendingOpening);
  }
  const kept = charged
    .flatMap((one) => ({ ...one, ...spanOf(one) }))
    .filter(({ startsAt, endsAt }) => startsAt < endsAt);
  await insertBilledUsage(
    tx,
    accountId,
    kept.flatMap(({ charges }) => charges.usages),
    kept.flatMap(({ charges }) => charges.held ?? []),
  );
  const limited = kept.flatMap(({ boundary: { ended }, charges }) =>
    charges.trueUps.filter(({ periodStart }) => ended !== null && periodStart < ended.endsAt).map(limitedAmountOf),
  );
  const behind = lateBehind(
    billedLate(late, account),
    kept.flatMap(({ charges }) => charges.trueUps),
  );
  const isCharged = (one: KeptAmount) => limited.some((of) => limitedKey(of) === limitedKey(one));
  const withLate = limitedAfter(behind, currencyOf(customer.currency).exponent).filter(isCharged);
  const isLater = (one: KeptAmount) => !withLate.some((of) => limitedKey(of) === limitedKey(one));
  await upsertLimitedAmounts(tx, accountId, [...limited.filter(isLater), ...withLate]);
  const watermarks = kept.map(({ boundary: { subscriptionId }, startsAt, endsAt }) => {
    return { subscriptionId, countedTo: usageCutoff, startsAt, endsAt };
  });
  await upsertWatermarks(tx, accountId, customer.customerId, watermarks);
}

/** From when to when a boundary has billed: usage that came with a switch may be older than the period. */
function spanOf({ boundary, charges: { usages } }: ChargedBoundary): { startsAt: Instant; endsAt: Instant } {
  const period = endedBy(boundary);
  return {
    startsAt: Math.min(period.startsAt, ...usages.map(({ periodStart, group }) => group?.windowStart ?? periodStart)),
    endsAt: boundary.ending?.at ?? period.endsAt,
  };
}

function endedBy({ ended }: BoundaryInput): Period {
  if (ended === null) throw new Error('a boundary that ends no period is billed by an opening invoice');
  return ended;
}
