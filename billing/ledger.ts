import { type Decimal, sum } from './decimal.ts';

/**
 * The accounts of the ledger. Debits are positive: assets (receivable, cash) grow by them, what is owed (tax, customers'
 * credits) and revenue grow by negative amounts; `credit_grants` is what credits given away cost.
 */
export type LedgerAccount =
  | 'accounts_receivable'
  | 'cash'
  | 'revenue'
  | 'tax_payable'
  | 'customer_credits'
  | 'credit_grants';

export type LedgerKind =
  | 'invoice_issued'
  | 'overpayment_credited'
  | 'credit_granted'
  | 'credit_applied'
  | 'credit_voided'
  | 'payment_received';

export type LedgerEntry = { ledgerAccount: LedgerAccount; amount: Decimal };

/** One transaction: entries other than zero that sum to zero (contract 9). Without entries there is nothing to post. */
export type LedgerPosting = { kind: LedgerKind; entries: LedgerEntry[] };

/** An invoice was issued: the customer owes its total, which is revenue and tax (all may be negative or 0). */
export function postInvoiceIssued(invoice: { subtotal: Decimal; taxAmount: Decimal; total: Decimal }): LedgerPosting {
  const { subtotal, taxAmount, total } = invoice;
  return posting('invoice_issued', [
    ['accounts_receivable', total],
    ['revenue', subtotal.negated()],
    ['tax_payable', taxAmount.negated()],
  ]);
}

/** The rest of a negative total became a credit (contract 8): we owe it as credit, no longer as a receivable below 0. */
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

/** A credit was voided with so much left: it is no longer owed. */
export function postCreditVoided(amountRemaining: Decimal): LedgerPosting {
  return move('credit_voided', 'credit_grants', 'customer_credits', amountRemaining);
}

/** Money for an invoice came in. */
export function postPaymentReceived(amount: Decimal): LedgerPosting {
  return move('payment_received', 'accounts_receivable', 'cash', amount);
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
