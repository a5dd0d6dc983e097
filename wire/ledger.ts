import { z } from '@hono/zod-openapi';
import type { LedgerTransaction } from '../billing/ledger/ledger.ts';
import { isoFromInstant } from '../core/instants.ts';
import { decimalWire, instantWire } from './primitives.ts';

export const ledgerTransactionWire = z
  .object({
    ledger_transaction_id: z
      .string()
      .openapi({ description: 'Id of a transaction of the ledger.', example: 'ltx_01jd3k9x' }),
    kind: z.string().openapi({ description: 'What happened to the money.', example: 'invoice_issued' }),
    at: instantWire.openapi({ description: 'When it happened; in clock time for customers on a test clock.' }),
    invoice_id: z
      .string()
      .nullable()
      .openapi({ description: 'The invoice that it belongs to; null where it is none.', example: 'inv_01jd3k9x' }),
    credit_id: z
      .string()
      .nullable()
      .openapi({ description: 'The credit that it belongs to; null where it is none.', example: null }),
    refund_id: z
      .string()
      .nullable()
      .openapi({ description: 'The refund that it belongs to; null where it is none.', example: null }),
    entries: z
      .array(
        z.object({
          ledger_account: z.string().openapi({ description: 'Account of the ledger.', example: 'accounts_receivable' }),
          amount: decimalWire.openapi({ description: 'Above 0 a debit, below 0 a credit.', example: 29 }),
        }),
      )
      .openapi({ description: 'Debits (positive) and credits (negative); they sum to zero.' }),
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
