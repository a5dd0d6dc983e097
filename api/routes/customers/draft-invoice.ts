import { setImmediate as letOthersRun } from 'node:timers/promises';
import { isPlannedCredit } from '../../../billing/credits/proration-credits.ts';
import { computeDraft } from '../../../billing/invoices/compute-draft.ts';
import type { ComputedInvoice } from '../../../billing/invoices/compute-invoice.ts';
import { draftParts } from '../../../billing/invoices/draft-parts.ts';
import type { DatedInvoice } from '../../../billing/invoices/invoice.ts';
import type { Customer } from '../../../billing/subscriptions/subscription.ts';
import { ZERO } from '../../../core/decimal.ts';
import { notFound } from '../../../core/domain-error.ts';
import { addDays, type Instant, isoFromInstant, type LocalDate, localDateAt } from '../../../core/instants.ts';
import { loadCustomerSnapshot } from '../../../services/snapshot/load-customer-snapshot.ts';
import { answerUsage } from '../../../services/usage/answer-usage.ts';
import { draftInvoiceWire, invoiceToWire } from '../../../wire/invoices.ts';
import { customerPath } from '../../../wire/primitives.ts';
import { operation } from '../../operation.ts';

export const draftInvoice = operation({
  method: 'get',
  path: '/api/customers/{customer_id}/draft_invoice/',
  tag: 'Customers',
  summary: 'What the next boundary would invoice now; computed as the final invoice is, and nothing is written',
  description:
    'For all live subscriptions, credits included; invoices has it by subscription, as_of says up to when usage is in it. It may change ' +
    'until the period ends. With a planned switch the lines that its new subscription will have name the old one, which is there.',
  scope: 'read',
  params: customerPath,
  success: 200,
  response: draftInvoiceWire,
  run: async ({ caller: { accountId }, params, now }, dependencies) => {
    const askedAsOf = dependencies.progress.asOf();
    askedAsOf.catch(() => {}); // rejects where it is awaited
    const question = { accountId, customerId: params.customer_id, now };
    const snapshot = await loadCustomerSnapshot(dependencies, question);
    if (!snapshot) throw notFound(`customer ${params.customer_id}`);
    const { customer, account, credits, at } = snapshot;
    const today = localDateAt(at, customer.timeZone);
    const parts = await answerUsage(dependencies, question, draftParts(snapshot));
    // Each step is a few dozen milliseconds of work where there are a thousand subscriptions.
    await letOthersRun();
    const draft = computeDraft({ currency: customer.currency, taxRate: customer.taxRate, today, credits, parts });
    await letOthersRun();
    const dates = parts.map(({ issuedOn }) => issuedOn);
    const of = { customer, netTermsDays: account.netTermsDays, at };
    const only = parts.length === 1 ? (parts[0]?.subscriptionId ?? null) : null;
    const answer = {
      ...invoiceToWire(draftOf(draft.whole, { ...of, subscriptionId: only, issueDate: dates.toSorted()[0] ?? today })),
      as_of: isoFromInstant(await askedAsOf),
      invoices: draft.parts.map((part, i) => {
        const { subscriptionId = null, issuedOn = today } = parts[i] ?? {};
        return invoiceToWire(draftOf(part, { ...of, subscriptionId, issueDate: issuedOn }));
      }),
    };
    await letOthersRun();
    return answer;
  },
});

type DraftOf = {
  customer: Customer;
  subscriptionId: string | null;
  issueDate: LocalDate;
  netTermsDays: number;
  at: Instant;
};

/** A computed invoice as a record of status draft: no id, no number, nothing paid. */
function draftOf(computed: ComputedInvoice, of: DraftOf): DatedInvoice {
  const { customer, subscriptionId, issueDate, netTermsDays, at } = of;
  const { applications: _applications, overpayment: _overpayment, ...amounts } = computed;
  return {
    ...amounts,
    status: 'draft',
    invoiceId: null,
    invoiceNumber: null,
    customerId: customer.customerId,
    subscriptionId,
    issueDate,
    dueDate: addDays(issueDate, netTermsDays),
    lines: computed.lines.map((line) => ({
      ...line,
      lineId: null,
      creditId: line.creditId !== null && isPlannedCredit(line.creditId) ? null : line.creditId,
    })),
    amountPaid: ZERO,
    amountRefunded: ZERO,
    createdAt: at,
    paidAt: null,
    voidedAt: null,
    payments: [],
    billingAddress: customer.billingAddress,
    customerName: customer.customerName,
    testClockId: customer.testClockId,
    customerToday: localDateAt(at, customer.timeZone),
  };
}
