import type { Customer } from '../../billing/subscriptions/subscription.ts';
import { decimal } from '../../core/decimal.ts';
import { conflict, notFound } from '../../core/domain-error.ts';
import type { Instant } from '../../core/instants.ts';
import { loadAccount } from '../../sql/postgres/accounts/accounts.ts';
import { updateBilledTo } from '../../sql/postgres/customers/billed-to.ts';
import { insertCustomer } from '../../sql/postgres/customers/customers.ts';
import { assertClockReady, findTestClock } from '../../sql/postgres/subscriptions/test-clocks.ts';
import { type CustomerCreate, type CustomerWire, customerToWire } from '../../wire/customers.ts';
import { type Audited, created } from '../audit/audited.ts';
import type { ServiceDependencies } from '../dependencies.ts';
import { askPaymentMethod } from '../payments/ask-payment-method.ts';
import type { Transactions } from '../transactions.ts';
import type { Stores } from '../usage/answered-usage.ts';
import { checkPayer } from './check-payer.ts';
import { loadCustomerBilling } from './customer-records.ts';

/**
 * Makes a customer, after its processor was asked whether a payment method is on file.
 * @throws DomainError `conflict` where the id is taken or the test clock advances, `not_found` for an unknown clock.
 */
export async function createCustomer(
  { writeWithUsage }: Pick<Transactions, 'writeWithUsage'>,
  processors: Pick<ServiceDependencies, 'connections' | 'log'>,
  accountId: string,
  wanted: CustomerCreate,
  now: Instant,
): Promise<CustomerWire> {
  const { payment_provider: provider, payment_provider_id: payer } = wanted;
  const hasPaymentMethod = await askPaymentMethod(processors, accountId, { provider, payer });
  return writeWithUsage((stores) =>
    saveCustomer(stores, accountId, wanted, { now, hasPaymentMethod: hasPaymentMethod ?? false }),
  );
}

async function saveCustomer(
  { tx, usage }: Stores,
  accountId: string,
  wanted: CustomerCreate,
  { now, hasPaymentMethod }: { now: Instant; hasPaymentMethod: boolean },
): Promise<Audited<CustomerWire>> {
  const account = await loadAccount(tx, accountId);
  const clockId = wanted.test_clock_id;
  const clock = clockId === null ? undefined : await findTestClock(tx, accountId, clockId);
  if (clockId !== null && !clock) throw notFound(`test clock ${clockId}`);
  await assertClockReady(tx, accountId, clockId);
  const customer: Customer = {
    customerId: wanted.customer_id,
    customerName: wanted.customer_name,
    email: wanted.email,
    currency: wanted.default_currency_code ?? account.defaultCurrency,
    paymentProvider: wanted.payment_provider,
    paymentProviderId: wanted.payment_provider_id,
    hasPaymentMethod,
    taxRate: wanted.tax_rate ?? decimal(0),
    timeZone: wanted.timezone,
    billingAddress: wanted.billing_address,
    testClockId: clockId,
    billedTo: wanted.billed_to,
    isPayer: false,
    clockTime: clock?.frozenTime ?? null,
    hasDiscounts: false,
    metadata: wanted.metadata,
    createdAt: clock?.frozenTime ?? now,
  };
  await checkPayer(tx, accountId, customer);
  if (!(await insertCustomer(tx, accountId, customer))) {
    throw conflict(`A customer with customer_id ${wanted.customer_id} already exists.`);
  }
  if (customer.billedTo !== null) await updateBilledTo(tx, accountId, customer.customerId, customer.billedTo);
  const billing = await loadCustomerBilling({ tx, usage }, accountId, [customer]);
  return created(customerToWire(customer, billing.of(customer)));
}
