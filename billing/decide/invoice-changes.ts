import { addDays, startOfLocalDay } from '../../core/instants.ts';
import type { ChangeSet, NamedEvent, NewInvoice, NewPosting, PlannedStep } from '../change-set.ts';
import { postCreditApplied, postInvoiceIssued, postOverpaymentCredited } from '../ledger/ledger.ts';
import { collectionDueAt } from '../payments/collection.ts';
import type { PayerInput, PayingCustomer } from './issue-input.ts';
import type { MadeInvoice } from './make-invoice.ts';

/** Returns all that invoices of one payer change as they are issued. */
export function invoiceChanges(
  { payer, now, by }: Pick<PayerInput, 'payer' | 'now' | 'by'>,
  made: readonly MadeInvoice[],
): ChangeSet {
  const invoices = made.map(({ invoice, periodIndex, operationId, counts }) => {
    return { invoice, periodIndex, operationId, counts };
  });
  const credits = made.flatMap(({ credit }) => credit ?? []);
  const collected = invoices.filter((one) => isCollected(one, payer));
  const issued = invoices.map(({ invoice: { invoiceId } }) => invoiceId);
  return {
    invoices,
    credits,
    creditApplications: made.flatMap(({ invoice: { invoiceId }, applications }) =>
      applications.map(({ credit: { creditId }, amount }) => ({ creditId, invoiceId, amount, at: now })),
    ),
    discountsUsed: made.flatMap(({ discountsUsed }) => discountsUsed),
    pendingTaken: made
      .filter(({ taken }) => taken.length > 0)
      .map(({ invoice: { invoiceId }, taken }) => ({ seqs: taken, invoiceId })),
    postings: [...made.flatMap(overpaymentPostings), ...made.flatMap((one) => issuePostings(one, payer))],
    steps: [
      ...invoices
        .filter(({ invoice: { status } }) => status === 'open')
        .map(({ invoice }) => pastDueStep(invoice, payer)),
      ...collected.map((one) => collectionStep(one, payer)),
    ],
    events: [
      ...invoices.flatMap(issueEvents),
      ...credits.map(({ creditId }) => ({ type: 'credit.created' as const, creditId })),
      ...collected.map(({ invoice: { invoiceId } }) => ({ type: 'invoice.collectable' as const, invoiceId })),
    ],
    audit: by === 'call' ? [] : issued.map((invoiceId) => ({ action: 'invoice.created', invoiceId })),
  };
}

/** Returns the step by which an open invoice becomes past due: at the begin of the day after its due date, in the customer's zone. */
export function pastDueStep(
  { invoiceId, dueDate }: Pick<NewInvoice['invoice'], 'invoiceId' | 'dueDate'>,
  { testClockId, timeZone }: Pick<PayingCustomer, 'testClockId' | 'timeZone'>,
): PlannedStep {
  return { kind: 'past_due', invoiceId, dueAt: startOfLocalDay(addDays(dueDate, 1), timeZone), testClockId };
}

/** Whether an invoice is collected on its due date (spec/payments#collection). */
function isCollected({ invoice: { status, amountDue } }: NewInvoice, payer: PayingCustomer): boolean {
  return payer.paymentProviderId !== null && payer.hasPaymentMethod && status === 'open' && amountDue.gt(0);
}

function collectionStep({ invoice }: NewInvoice, { testClockId, timeZone }: PayingCustomer): PlannedStep {
  const { invoiceId } = invoice;
  return { kind: 'collect', invoiceId, dueAt: collectionDueAt(invoice, timeZone), testClockId };
}

function issueEvents({ invoice: { invoiceId, status } }: NewInvoice): NamedEvent[] {
  const created = { type: 'invoice.created', invoiceId } as const;
  return status === 'paid' ? [created, { type: 'invoice.paid', invoiceId }] : [created];
}

function overpaymentPostings({ invoice: { invoiceId }, credit }: MadeInvoice): NewPosting[] {
  if (!credit) return [];
  const { creditId, customerId, currency, createdAt: at, amount } = credit;
  return [{ subject: { customerId, currency, at, creditId, invoiceId }, posting: postOverpaymentCredited(amount) }];
}

function issuePostings({ invoice, applications }: MadeInvoice, { customerId }: PayingCustomer): NewPosting[] {
  const { invoiceId, currency, createdAt: at } = invoice;
  const subject = { customerId, currency, at, invoiceId };
  return [
    { subject, posting: postInvoiceIssued(invoice) },
    ...applications.map(({ credit: { creditId }, amount }) => {
      return { subject: { ...subject, creditId }, posting: postCreditApplied(amount) };
    }),
  ];
}
