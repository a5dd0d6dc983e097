import { boundaryCharges } from '../../../billing/boundary-charges.ts';
import { computeDraft, type DraftInput } from '../../../billing/compute-draft.ts';
import type { ComputedInvoice } from '../../../billing/compute-invoice.ts';
import { ZERO } from '../../../billing/decimal.ts';
import { notFound } from '../../../billing/domain-error.ts';
import { addDays, type Instant, isoFromInstant, localDateAt } from '../../../billing/instants.ts';
import type { DatedInvoice } from '../../../billing/invoice.ts';
import { openingPart } from '../../../billing/opening-invoice.ts';
import { resumedPauses } from '../../../billing/pauses.ts';
import type { Customer, Subscription } from '../../../billing/subscription.ts';
import { type Account, loadAccount } from '../../../sql/accounts.ts';
import { listCreditsWithRemainder } from '../../../sql/credits.ts';
import { findCustomer } from '../../../sql/customers.ts';
import { lateCharges, loadLateUsage } from '../../../sql/late-usage.ts';
import { type InvoiceSources, loadBoundaries, loadOpening, plannedEnding } from '../../../sql/load-invoice-inputs.ts';
import { listPauses } from '../../../sql/pauses.ts';
import { inTransaction } from '../../../sql/postgres.ts';
import { listLiveSubscriptions } from '../../../sql/subscriptions.ts';
import { listWaitingLines } from '../../../sql/waiting-lines.ts';
import { draftInvoiceWire, invoiceToWire } from '../../../wire/invoices.ts';
import { customerPath } from '../../../wire/primitives.ts';
import { operation } from '../../operation.ts';

export const draftInvoice = operation({
  method: 'get',
  path: '/api/customers/{customer_id}/draft_invoice/',
  tag: 'Customers',
  summary: 'What the next boundary would invoice now; computed as the final invoice is, and nothing is written',
  scope: 'read',
  params: customerPath,
  success: 200,
  response: draftInvoiceWire,
  run: async ({ caller: { accountId }, params, now, read }, { postgres, clickhouse, progress }) => {
    const asOf = await progress.asOf();
    const { customer, account, subscriptions, credits } = await read(async (tx) => {
      const found = await findCustomer(tx, accountId, params.customer_id);
      if (!found) throw notFound(`customer ${params.customer_id}`);
      return {
        customer: found,
        account: await loadAccount(tx, accountId),
        subscriptions: await listLiveSubscriptions(tx, accountId, [found.customerId]),
        credits: await listCreditsWithRemainder(tx, accountId, found.customerId),
      };
    });
    const at = customer.clockTime ?? now;
    const today = localDateAt(at, customer.timeZone);
    const parts = await loadParts({ postgres, clickhouse }, account, customer, inOrderOfClose(subscriptions), at);
    const draft = computeDraft({ currency: customer.currency, taxRate: customer.taxRate, today, credits, parts });
    const toWire = (computed: ComputedInvoice, subscriptionId: string | null) =>
      invoiceToWire(draftOf(computed, { customer, subscriptionId, netTermsDays: account.netTermsDays, at }));
    return {
      ...toWire(draft.whole, parts.length === 1 ? (parts[0]?.subscriptionId ?? null) : null),
      as_of: isoFromInstant(asOf),
      invoices: draft.parts.map((part, i) => toWire(part, parts[i]?.subscriptionId ?? null)),
    };
  },
});

/** Credits go to the invoices in this order (contract 9). */
function inOrderOfClose(subscriptions: Subscription[]): Subscription[] {
  return subscriptions.sort((a, b) => boundaryOf(a) - boundaryOf(b) || (a.subscriptionId < b.subscriptionId ? -1 : 1));
}

/** The next instant at which it is invoiced: a pending one at its start, others at the end of their period. */
function boundaryOf({ status, currentPeriod }: Subscription): Instant {
  return status === 'pending' ? currentPeriod.startsAt : currentPeriod.endsAt;
}

type DraftPart = DraftInput['parts'][number] & { subscriptionId: string };

/** What each subscription's next boundary would invoice; what waits, and late usage of ended ones, is on the first to close. */
async function loadParts(
  sources: InvoiceSources,
  account: Account,
  customer: Customer,
  live: Subscription[],
  at: Instant,
): Promise<DraftPart[]> {
  const firstToClose = live.find(({ status }) => status === 'active');
  const parts = live.map(async (subscription) => {
    if (subscription.status === 'pending') return loadOpeningPart(sources, account, customer, subscription);
    return loadClosingParts(sources, account, customer, { subscription, isFirst: subscription === firstToClose, at });
  });
  return (await Promise.all(parts)).flat();
}

/** The next boundary of an active subscription; of a paused one, what a resume now would bill. */
async function loadClosingParts(
  sources: InvoiceSources,
  account: Account,
  customer: Customer,
  { subscription, isFirst, at }: { subscription: Subscription; isFirst: boolean; at: Instant },
): Promise<DraftPart[]> {
  const { accountId } = account;
  const { subscriptionId, status } = subscription;
  const { pauses, waiting } = await inTransaction(sources.postgres, accountId, async (tx) => ({
    pauses: await listPauses(tx, accountId, subscriptionId),
    waiting: isFirst ? await listWaitingLines(tx, accountId, customer.customerId, { lock: false }) : null,
  }));
  const resumed = { at, on: localDateAt(at, customer.timeZone) };
  const closure =
    status === 'paused'
      ? { pauses: resumedPauses(pauses, resumed), ending: null, closes: false }
      : { pauses, ending: plannedEnding(subscription, customer), closes: true };
  const boundaries = await loadBoundaries(sources, accountId, customer, subscription, closure);
  const late = await loadLateUsage(sources, accountId, customer, { subscriptionId, withEnded: isFirst });
  return boundaries.map((boundary, i) => ({
    ...boundaryCharges(boundary),
    late: account.lateUsage === 'ignore' || i > 0 ? [] : lateCharges(late),
    kind: boundary.next === null ? 'closing' : 'period',
    periodStart: boundary.ended?.startsAt ?? null,
    periodEnd: boundary.ended?.endsAt ?? null,
    waiting: i === 0 ? (waiting?.lines ?? []) : [],
    subscriptionId,
  }));
}

/** The opening invoice of a pending subscription, where its activation will make one. */
async function loadOpeningPart(
  { postgres }: InvoiceSources,
  { accountId }: Account,
  { currency }: Customer,
  subscription: Subscription,
): Promise<DraftPart[]> {
  const opening = await inTransaction(postgres, accountId, (tx) => loadOpening(tx, accountId, subscription));
  const part = openingPart(opening, { currency });
  return part ? [{ ...part, subscriptionId: subscription.subscriptionId }] : [];
}

type DraftOf = { customer: Customer; subscriptionId: string | null; netTermsDays: number; at: Instant };

/** A computed invoice as a record of status draft: no id, no number, nothing paid. */
function draftOf(computed: ComputedInvoice, { customer, subscriptionId, netTermsDays, at }: DraftOf): DatedInvoice {
  const { applications: _applications, overpayment: _overpayment, ...amounts } = computed;
  const today = localDateAt(at, customer.timeZone);
  return {
    ...amounts,
    status: 'draft',
    invoiceId: null,
    invoiceNumber: null,
    customerId: customer.customerId,
    subscriptionId,
    issueDate: today,
    dueDate: addDays(today, netTermsDays),
    lines: computed.lines.map((line) => ({ ...line, lineId: null })),
    amountPaid: ZERO,
    amountRefunded: ZERO,
    createdAt: at,
    paidAt: null,
    voidedAt: null,
    payments: [],
    billingAddress: customer.billingAddress,
    customerName: customer.customerName,
    testClockId: customer.testClockId,
    customerToday: today,
  };
}
