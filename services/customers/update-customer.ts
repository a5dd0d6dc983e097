import { assertStaysAlike } from '../../billing/accounts/payers.ts';
import type { Customer } from '../../billing/subscriptions/subscription.ts';
import { conflict, notFound } from '../../core/domain-error.ts';
import { updateBilledTo } from '../../sql/postgres/customers/billed-to.ts';
import {
  findCustomer,
  loadCustomer,
  loadCustomerHistory,
  lockCustomerForUpdate,
  updateCustomer as saveCustomer,
} from '../../sql/postgres/customers/customers.ts';
import { fixedRoom } from '../../sql/postgres/page-window.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { assertClockReady, findTestClock } from '../../sql/postgres/subscriptions/test-clocks.ts';
import { type CustomerUpdate, type CustomerWire, customerToWire } from '../../wire/customers.ts';
import type { ServiceDependencies } from '../dependencies.ts';
import { askPaymentMethod } from '../payments/ask-payment-method.ts';
import { planCollectionsOf } from '../payments/plan-collections.ts';
import type { CustomerRef } from '../references.ts';
import type { Transactions } from '../transactions.ts';
import { assertCurrencyMayChange } from './change-currency.ts';
import { checkPayer } from './check-payer.ts';
import { loadCustomerBilling, NO_BILLING } from './customer-records.ts';

/** Who pays for a customer at a processor. */
type Payer = { provider: string | null; payer: string | null };

/**
 * Changes a customer; a processor is asked before whether it has a payment method of the payer. What is due is collected as
 * soon as one is there.
 * @throws DomainError `not_found`; `conflict` for what may no longer change, and while its test clock advances.
 */
export async function updateCustomer(
  { read, writeWithUsage }: Pick<Transactions, 'read' | 'writeWithUsage'>,
  processors: Pick<ServiceDependencies, 'connections' | 'log'>,
  { accountId, customerId }: CustomerRef,
  changes: CustomerUpdate,
  room = fixedRoom(),
): Promise<CustomerWire> {
  const before = await read((tx) => findCustomer(tx, accountId, customerId));
  const payment = {
    provider: orKept(changes.payment_provider, before?.paymentProvider ?? null),
    payer: orKept(changes.payment_provider_id, before?.paymentProviderId ?? null),
  };
  const hasPaymentMethod = await askPaymentMethod(processors, accountId, payment);
  return writeWithUsage(async ({ tx, usage }) => {
    const customer = await lockCustomer(tx, { accountId, customerId }, changes.billed_to ?? customerId);
    const updated: Customer = {
      ...changedCustomer(customer, changes),
      hasPaymentMethod: hasPaymentMethod ?? (isSamePayer(customer, payment) && customer.hasPaymentMethod),
    };
    await checkChange(tx, accountId, customer, updated);
    await saveCustomer(tx, accountId, updated);
    if (updated.billedTo !== customer.billedTo) await updateBilledTo(tx, accountId, customerId, updated.billedTo);
    const saved = await loadCustomer(tx, accountId, customerId);
    if (!customer.hasPaymentMethod) await planCollectionsOf(tx, accountId, saved);
    const billing = await loadCustomerBilling({ tx, usage }, accountId, [saved], { room });
    const before = customerToWire(customer, NO_BILLING);
    return { before, after: customerToWire(saved, NO_BILLING), answer: customerToWire(saved, billing.of(saved)) };
  });
}

/** Locks the customer and who is to pay for it, by id: two that would pay for each other take their locks in one order. */
async function lockCustomer(
  tx: Transaction,
  { accountId, customerId }: CustomerRef,
  payerId: string,
): Promise<Customer> {
  const known = await findCustomer(tx, accountId, customerId);
  if (!known) throw notFound(`customer ${customerId}`);
  await assertClockReady(tx, accountId, known.testClockId);
  if (payerId < customerId) await lockCustomerForUpdate(tx, accountId, payerId);
  const customer = await lockCustomerForUpdate(tx, accountId, customerId);
  if (!customer) throw notFound(`customer ${customerId}`);
  return customer;
}

function changedCustomer(customer: Customer, changes: CustomerUpdate): Customer {
  return {
    ...customer,
    customerName: changes.customer_name ?? customer.customerName,
    email: changes.email ?? customer.email,
    currency: changes.default_currency_code ?? customer.currency,
    paymentProvider: orKept(changes.payment_provider, customer.paymentProvider),
    paymentProviderId: orKept(changes.payment_provider_id, customer.paymentProviderId),
    taxRate: changes.tax_rate ?? customer.taxRate,
    timeZone: changes.timezone ?? customer.timeZone,
    billingAddress: orKept(changes.billing_address, customer.billingAddress),
    testClockId: orKept(changes.test_clock_id, customer.testClockId),
    billedTo: orKept(changes.billed_to, customer.billedTo),
    metadata: changes.metadata ?? customer.metadata,
  };
}

/** Whether a customer is still the payer that it was: what is known of its payment method then still holds. */
function isSamePayer({ paymentProvider, paymentProviderId }: Customer, { provider, payer }: Payer): boolean {
  return paymentProvider === provider && paymentProviderId === payer;
}

/** What the call says, null included; what was there where it says nothing. */
function orKept<T>(sent: T | undefined, kept: T): T {
  return sent === undefined ? kept : sent;
}

/** @throws DomainError `conflict` for what may no longer change, `not_found` for an unknown clock. */
async function checkChange(tx: Transaction, accountId: string, before: Customer, after: Customer): Promise<void> {
  assertStaysAlike(before, after);
  if (after.billedTo !== before.billedTo) await checkPayer(tx, accountId, after);
  const [newCurrency, newClock] = [after.currency !== before.currency, after.testClockId !== before.testClockId];
  if (!newCurrency && !newClock) return;
  if (newClock && after.testClockId !== null && !(await findTestClock(tx, accountId, after.testClockId))) {
    throw notFound(`test clock ${after.testClockId}`);
  }
  if (newCurrency) await assertCurrencyMayChange(tx, accountId, before);
  if (!newClock) return;
  const { billed, subscribed, credited } = await loadCustomerHistory(tx, accountId, before.customerId);
  if (subscribed || billed || credited) throw conflict('The customer has already lived in its time, its clock stays.');
  await assertClockReady(tx, accountId, after.testClockId);
}
