import type { Transaction } from 'braintree';
import type { RefundOutcome } from '../../billing/credits/refunds.ts';
import { type ChargeOutcome, ProcessorError } from './processor.ts';

/** As much of a transaction as an outcome is read from: the SDK's answers and its notifications both have it. */
export type TransactionState = Pick<
  Transaction,
  | 'id'
  | 'status'
  | 'paymentInstrumentType'
  | 'processorResponseCode'
  | 'processorResponseText'
  | 'gatewayRejectionReason'
>;

/**
 * What a transaction's status means for who waits for its money. A card that has been submitted for settlement is paid, as
 * Braintree itself treats it; a bank's money is only there when it has settled.
 */
const MEANING: Record<string, 'paid' | 'on_its_way' | 'waiting' | 'failed'> = {
  authorizing: 'waiting',
  authorized: 'waiting',
  settlement_pending: 'waiting',
  submitted_for_settlement: 'on_its_way',
  settling: 'on_its_way',
  settlement_confirmed: 'on_its_way',
  settled: 'paid',
  authorization_expired: 'failed',
  processor_declined: 'failed',
  settlement_declined: 'failed',
  gateway_rejected: 'failed',
  failed: 'failed',
  voided: 'failed',
};

/** Instruments of banks: what they have submitted may still be returned for days. */
const SLOW_INSTRUMENTS = new Set(['us_bank_account', 'sepa_debit_account']);

/** "Cardholder Authentication Required": the bank wants the payer present. */
const AUTHENTICATION_REQUIRED = '2099';

/** What a sale has come to. A rejected duplicate says that another one with the same order is there: that one is asked for. */
export function chargeOutcome(transaction: TransactionState): ChargeOutcome {
  const { id: reference, status, gatewayRejectionReason } = transaction;
  if (gatewayRejectionReason === 'duplicate') {
    return { status: 'unknown', message: 'Braintree has seen the same order before.' };
  }
  const meaning = meaningOf(transaction);
  if (meaning === 'paid') return { status: 'succeeded', reference };
  if (meaning !== 'failed') return { status: 'processing', reference };
  const { processorResponseCode, processorResponseText } = transaction;
  const code =
    processorResponseCode === AUTHENTICATION_REQUIRED ? 'authentication_required' : gatewayRejectionReason || status;
  const message = processorResponseText || `The payment was not made: ${status.replaceAll('_', ' ')}.`;
  return { status: 'failed', reference, code, message };
}

/** What a refund, itself a transaction, has come to. */
export function refundOutcome(transaction: TransactionState): RefundOutcome {
  const processorRefundId = transaction.id;
  const meaning = meaningOf(transaction);
  if (meaning === 'failed') return { status: 'failed', processorRefundId };
  return { status: meaning === 'paid' ? 'succeeded' : 'pending', processorRefundId };
}

function meaningOf({ status, paymentInstrumentType }: TransactionState): 'paid' | 'waiting' | 'failed' {
  const meaning = MEANING[status];
  if (meaning === undefined) throw new ProcessorError('away', `Braintree answered the unknown status ${status}.`);
  if (meaning !== 'on_its_way') return meaning;
  return SLOW_INSTRUMENTS.has(paymentInstrumentType) ? 'waiting' : 'paid';
}
