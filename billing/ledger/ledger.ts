import { type Decimal, sum } from '../../core/decimal.ts';
import type { Instant } from '../../core/instants.ts';

/**
 * The accounts of the ledger. Debits are positive: assets (receivable, cash) grow by them, what is owed (tax, customers'
 * credits) and revenue grow by negative amounts; `credit_grants` is what credits given away cost, `refunds` what went back
 * of money once earned. Of a customer, the receivable is what it owes on open and uncollectible invoices, and its credits
 * are what they have left.
 */
export type LedgerAccount =
  | 'accounts_receivable'
  | 'cash'
  | 'revenue'
  | 'tax_payable'
  | 'customer_credits'
  | 'credit_grants'
  | 'refunds';

export type LedgerKind =
  | 'invoice_issued'
  | 'invoice_voided'
  | 'overpayment_credited'
  | 'credit_granted'
  | 'credit_applied'
  | 'credit_restored'
  | 'credit_voided'
  | 'payment_received'
  | 'refund_paid'
  | 'refund_failed'
  | 'refund_credited'
  | 'fee_given_back';

export type LedgerEntry = { ledgerAccount: LedgerAccount; amount: Decimal };

/** One transaction: entries other than zero that sum to zero (spec/credits#ledger). Without entries there is nothing to post. */
export type LedgerPosting = { kind: LedgerKind; entries: LedgerEntry[] };

/** A posting as it was stored: when, in the customer's time, and what it is about. */
export type LedgerTransaction = LedgerPosting & {
  ledgerTransactionId: string;
  at: Instant;
  invoiceId: string | null;
  creditId: string | null;
  refundId: string | null;
};

/** An invoice was issued: the customer owes its total, which is revenue and tax (all may be negative or 0). */
export function postInvoiceIssued(invoice: { subtotal: Decimal; taxAmount: Decimal; total: Decimal }): LedgerPosting {
  const { subtotal, taxAmount, total } = invoice;
  return posting('invoice_issued', [
    ['accounts_receivable', total],
    ['revenue', subtotal.negated()],
    ['tax_payable', taxAmount.negated()],
  ]);
}

/** An invoice was voided: its issue is reversed. What credits paid of it is then below 0, until it is restored to them. */
export function postInvoiceVoided(invoice: { subtotal: Decimal; taxAmount: Decimal; total: Decimal }): LedgerPosting {
  const { entries } = postInvoiceIssued(invoice);
  return { kind: 'invoice_voided', entries: entries.map((entry) => ({ ...entry, amount: entry.amount.negated() })) };
}

/** The rest of a negative total became a credit (spec/invoices#arithmetic): we owe it as credit, no longer as a receivable below 0. */
export function postOverpaymentCredited(amount: Decimal): LedgerPosting {
  return move('overpayment_credited', 'customer_credits', 'accounts_receivable', amount);
}

/** A credit was given by the caller, whatever its reason. */
export function postCreditGranted(amount: Decimal): LedgerPosting {
  return move('credit_granted', 'customer_credits', 'credit_grants', amount);
}

/** A credit paid for a part of an invoice. */
export function postCreditApplied(amount: Decimal): LedgerPosting {
  return move('credit_applied', 'accounts_receivable', 'customer_credits', amount);
}

/** A credit got back what it had paid for an invoice that was voided. */
export function postCreditRestored(amount: Decimal): LedgerPosting {
  return move('credit_restored', 'customer_credits', 'accounts_receivable', amount);
}

/** A credit was voided with so much left: it is no longer owed. */
export function postCreditVoided(amountRemaining: Decimal): LedgerPosting {
  return move('credit_voided', 'credit_grants', 'customer_credits', amountRemaining);
}

/** Money for an invoice came in. */
export function postPaymentReceived(amount: Decimal): LedgerPosting {
  return move('payment_received', 'accounts_receivable', 'cash', amount);
}

/** Money that had been received went back to the customer. */
export function postRefundPaid(amount: Decimal): LedgerPosting {
  return move('refund_paid', 'cash', 'refunds', amount);
}

/** Money that was on its way back has come back to us: the customer could not be paid. */
export function postRefundFailed(amount: Decimal): LedgerPosting {
  return move('refund_failed', 'refunds', 'cash', amount);
}

/** What had been received is kept, and owed to the customer as a credit. */
export function postRefundCredited(amount: Decimal): LedgerPosting {
  return move('refund_credited', 'customer_credits', 'refunds', amount);
}

/** A part of a fee charged ahead, and its tax, are owed back as a credit: they are earned no more (spec/subscriptions#cancel). */
export function postProrationCredit({ amount, tax }: { amount: Decimal; tax: Decimal }): LedgerPosting {
  return posting('fee_given_back', [
    ['revenue', amount],
    ['tax_payable', tax],
    ['customer_credits', amount.plus(tax).negated()],
  ]);
}

function move(kind: LedgerKind, from: LedgerAccount, to: LedgerAccount, amount: Decimal): LedgerPosting {
  return posting(kind, [
    [to, amount],
    [from, amount.negated()],
  ]);
}

function posting(kind: LedgerKind, amounts: [LedgerAccount, Decimal][]): LedgerPosting {
  const entries = amounts
    .map(([ledgerAccount, amount]) => ({ ledgerAccount, amount }))
    .filter(({ amount }) => !amount.isZero());
  if (!sum(entries.map(({ amount }) => amount)).isZero()) throw new Error(`${kind} does not sum to zero`);
  return { kind, entries };
}
