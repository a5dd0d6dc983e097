/** What the fake processors hold to be true: every movement of money they really made. The tests' truth, not ours. */
export type LedgerCharge = {
  provider: 'stripe' | 'braintree';
  reference: string;
  payer: string;
  /** The processor's smallest unit, as it was asked. */
  amount: number;
  currency: string;
  attemptId: string | null;
};
export type LedgerRefund = {
  provider: 'stripe' | 'braintree';
  reference: string;
  chargeReference: string;
  amount: number;
};

export type ProcessorLedger = { charges: LedgerCharge[]; refunds: LedgerRefund[] };

export function createLedger(): ProcessorLedger {
  return { charges: [], refunds: [] };
}

/** The money that was taken of a payer: once per charge that succeeded. */
export function chargesOf(ledger: ProcessorLedger, payer: string): LedgerCharge[] {
  return ledger.charges.filter((charge) => charge.payer === payer);
}
