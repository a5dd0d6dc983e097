import { z } from '@hono/zod-openapi';
import type { LedgerTransaction } from '../billing/ledger/ledger.ts';
import { isoFromInstant } from '../core/instants.ts';
import { decimalWire, instantWire } from './primitives.ts';

export const ledgerTransactionWire = z
  .object({
    ledger_transaction_id: z.string(),
    kind: z.string().openapi({ example: 'invoice_issued' }),
    at: instantWire,
    invoice_id: z.string().nullable(),
    credit_id: z.string().nullable(),
    refund_id: z.string().nullable(),
    entries: z.array(
      z.object({ ledger_account: z.string().openapi({ example: 'accounts_receivable' }), amount: decimalWire }),
    ),
  })
  .openapi('LedgerTransaction');

/** A ledger transaction as the API returns it: debits positive, credits negative, summing to zero (spec/credits#ledger). */
export function ledgerTransactionToWire(transaction: LedgerTransaction): z.infer<typeof ledgerTransactionWire> {
  return {
    ledger_transaction_id: transaction.ledgerTransactionId,
    kind: transaction.kind,
    at: isoFromInstant(transaction.at),
    invoice_id: transaction.invoiceId,
    credit_id: transaction.creditId,
    refund_id: transaction.refundId,
    entries: transaction.entries.map(({ ledgerAccount, amount }) => ({ ledger_account: ledgerAccount, amount })),
  };
}
