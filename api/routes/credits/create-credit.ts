import { newCredit } from '../../../billing/credits/credits.ts';
import { postCreditGranted } from '../../../billing/ledger/ledger.ts';
import { currencyOf } from '../../../core/currencies.ts';
import type { Decimal } from '../../../core/decimal.ts';
import { invalid, notFound } from '../../../core/domain-error.ts';
import { newId } from '../../../core/ids.ts';
import { type LocalDate, localDateAt } from '../../../core/instants.ts';
import { saveCredit } from '../../../services/credits/save-credit.ts';
import { findCustomer } from '../../../sql/postgres/customers/customers.ts';
import { assertClockReady } from '../../../sql/postgres/subscriptions/test-clocks.ts';
import { creditCreate, creditWire } from '../../../wire/credits.ts';
import { operation } from '../../operation.ts';

export const createCredit = operation({
  id: 'createCredit',
  method: 'post',
  path: '/api/credits',
  tag: 'Credits',
  summary: 'Give a customer credit on its next invoices',
  description: 'Applied to the next invoices by itself, earliest expiry first; what is left over carries forward.',
  scope: 'write',
  body: creditCreate,
  success: 201,
  response: creditWire,
  errors: [404, 409],
  run: ({ caller: { accountId }, body, now, write }) =>
    write(async (tx) => {
      const customer = await findCustomer(tx, accountId, body.customer_id);
      if (!customer) throw notFound(`customer ${body.customer_id}`);
      const { customerId, currency, timeZone, testClockId } = customer;
      checkCredit(body, currency, localDateAt(customer.clockTime ?? now, timeZone));
      const at = (await assertClockReady(tx, accountId, testClockId)) ?? now;
      const credit = newCredit({
        creditId: newId('credit'),
        customerId,
        amount: body.amount,
        currency,
        reason: body.reason,
        description: body.description,
        expiresAt: body.expires_at,
        createdAt: at,
      });
      return saveCredit(tx, credit, postCreditGranted(credit.amount), { accountId, timeZone });
    }),
});

/** @throws DomainError `invalid` for money finer than its currency, or an expiry before the customer's `today`. */
function checkCredit(body: { amount: Decimal; expires_at: LocalDate | null }, currency: string, today: LocalDate) {
  const { exponent } = currencyOf(currency);
  const tooFine = (body.amount.decimalPlaces() ?? 0) > exponent;
  const past = body.expires_at !== null && body.expires_at < today;
  if (!tooFine && !past) return;
  throw invalid({
    ...(tooFine && { amount: [`Must have at most ${exponent} decimals in ${currency}.`] }),
    ...(past && { expires_at: [`Must not be in the past; today is ${today}.`] }),
  });
}
