import type { Customer } from '../../../billing/subscriptions/subscription.ts';
import { conflict, notFound } from '../../../core/domain-error.ts';
import { loadCustomerBilling } from '../../../services/customers/customer-records.ts';
import { withUsage } from '../../../services/usage/answered-usage.ts';
import {
  findCustomer,
  loadCustomerHistory,
  lockCustomerForUpdate,
  updateCustomer as saveCustomer,
} from '../../../sql/postgres/customers/customers.ts';
import { planCollectionsOf } from '../../../sql/postgres/payments/collections.ts';
import type { Transaction } from '../../../sql/postgres/postgres.ts';
import { assertClockReady, findTestClock } from '../../../sql/postgres/subscriptions/test-clocks.ts';
import { customerToWire, customerUpdate, customerWire } from '../../../wire/customers.ts';
import { customerPath } from '../../../wire/primitives.ts';
import { operation } from '../../operation.ts';
import { askPaymentMethod } from '../../processors/payment-method.ts';

export const updateCustomer = operation({
  id: 'updateCustomer',
  method: 'patch',
  path: '/api/customers/{customer_id}/',
  tag: 'Customers',
  summary: 'Change a customer',
  description:
    'A new tax rate counts from the next invoice, a new time zone for periods not yet started. The currency stays once there is a live subscription or an invoice, the test clock once there is a subscription, an invoice or a credit.',
  scope: 'write',
  params: customerPath,
  body: customerUpdate,
  synonyms: { name: 'customer_name' },
  success: 200,
  response: customerWire,
  errors: [409],
  run: async ({ caller: { accountId }, params, body, read, write }, { clickhouse, connections, log }) => {
    const before = await read((tx) => findCustomer(tx, accountId, params.customer_id));
    const payment = {
      provider: orKept(body.payment_provider, before?.paymentProvider ?? null),
      payer: orKept(body.payment_provider_id, before?.paymentProviderId ?? null),
    };
    const hasPaymentMethod = await askPaymentMethod({ connections, log }, accountId, payment);
    return withUsage(clickhouse, (usage) =>
      write(async (tx) => {
        const known = await findCustomer(tx, accountId, params.customer_id);
        if (!known) throw notFound(`customer ${params.customer_id}`);
        await assertClockReady(tx, accountId, known.testClockId);
        const customer = await lockCustomerForUpdate(tx, accountId, params.customer_id);
        if (!customer) throw notFound(`customer ${params.customer_id}`);
        const changed: Customer = {
          ...customer,
          customerName: body.customer_name ?? customer.customerName,
          email: body.email ?? customer.email,
          currency: body.default_currency_code ?? customer.currency,
          paymentProvider: orKept(body.payment_provider, customer.paymentProvider),
          paymentProviderId: orKept(body.payment_provider_id, customer.paymentProviderId),
          hasPaymentMethod: hasPaymentMethod ?? (isSamePayer(customer, payment) && customer.hasPaymentMethod),
          taxRate: body.tax_rate ?? customer.taxRate,
          timeZone: body.timezone ?? customer.timeZone,
          billingAddress: orKept(body.billing_address, customer.billingAddress),
          testClockId: orKept(body.test_clock_id, customer.testClockId),
          metadata: body.metadata ?? customer.metadata,
        };
        await checkChange(tx, accountId, customer, changed);
        await saveCustomer(tx, accountId, changed);
        const saved = await findCustomer(tx, accountId, customer.customerId);
        if (!saved) throw new Error(`customer ${customer.customerId} is missing`);
        if (!customer.hasPaymentMethod) await planCollectionsOf(tx, accountId, saved);
        const billing = await loadCustomerBilling({ tx, usage }, accountId, [saved]);
        return customerToWire(saved, billing.of(saved));
      }),
    );
  },
});

/** Whether a customer is still the payer that it was: what is known of its payment method then still holds. */
function isSamePayer(
  { paymentProvider, paymentProviderId }: Customer,
  { provider, payer }: { provider: string | null; payer: string | null },
): boolean {
  return paymentProvider === provider && paymentProviderId === payer;
}

/** What the body says, null included; what was there where it says nothing. */
function orKept<T>(sent: T | undefined, kept: T): T {
  return sent === undefined ? kept : sent;
}

/** @throws DomainError `conflict` for what may no longer change, `not_found` for an unknown clock. */
async function checkChange(tx: Transaction, accountId: string, before: Customer, after: Customer): Promise<void> {
  const [newCurrency, newClock] = [after.currency !== before.currency, after.testClockId !== before.testClockId];
  if (!newCurrency && !newClock) return;
  if (newClock && after.testClockId !== null && !(await findTestClock(tx, accountId, after.testClockId))) {
    throw notFound(`test clock ${after.testClockId}`);
  }
  const { billed, subscribed, live, credited } = await loadCustomerHistory(tx, accountId, before.customerId);
  if (newCurrency && billed)
    throw conflict(`The customer has been invoiced in ${before.currency}, its currency stays.`);
  if (newCurrency && live) throw conflict(`The customer has a live subscription in ${before.currency}.`);
  if (!newClock) return;
  if (subscribed || billed || credited) throw conflict('The customer has already lived in its time, its clock stays.');
  await assertClockReady(tx, accountId, after.testClockId);
}
