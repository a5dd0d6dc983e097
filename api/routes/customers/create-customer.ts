import type { Customer } from '../../../billing/subscriptions/subscription.ts';
import { decimal } from '../../../core/decimal.ts';
import { conflict, notFound } from '../../../core/domain-error.ts';
import { loadCustomerBilling } from '../../../services/customers/customer-records.ts';
import { withUsage } from '../../../services/usage/answered-usage.ts';
import { loadAccount } from '../../../sql/postgres/accounts/accounts.ts';
import { insertCustomer } from '../../../sql/postgres/customers/customers.ts';
import { assertClockReady, findTestClock } from '../../../sql/postgres/subscriptions/test-clocks.ts';
import { customerCreate, customerToWire, customerWire } from '../../../wire/customers.ts';
import { operation } from '../../operation.ts';
import { askPaymentMethod } from '../../processors/payment-method.ts';

export const createCustomer = operation({
  id: 'createCustomer',
  method: 'post',
  path: '/api/customers/',
  tag: 'Customers',
  summary: 'Create a customer',
  description:
    "The id is the caller's own and can never be used again. Currency and time zone decide how periods and invoices are counted.",
  scope: 'write',
  body: customerCreate,
  synonyms: { name: 'customer_name' },
  success: 201,
  response: customerWire,
  errors: [404, 409],
  run: async ({ caller, body, now, write }, { clickhouse, connections, log }) => {
    const { payment_provider: provider, payment_provider_id: payer } = body;
    const hasPaymentMethod = await askPaymentMethod({ connections, log }, caller.accountId, { provider, payer });
    return withUsage(clickhouse, (usage) =>
      write(async (tx) => {
        const account = await loadAccount(tx, caller.accountId);
        const clockId = body.test_clock_id;
        const clock = clockId === null ? undefined : await findTestClock(tx, caller.accountId, clockId);
        if (clockId !== null && !clock) throw notFound(`test clock ${clockId}`);
        await assertClockReady(tx, caller.accountId, clockId);
        const customer: Customer = {
          customerId: body.customer_id,
          customerName: body.customer_name,
          email: body.email,
          currency: body.default_currency_code ?? account.defaultCurrency,
          paymentProvider: body.payment_provider,
          paymentProviderId: body.payment_provider_id,
          hasPaymentMethod: hasPaymentMethod ?? false,
          taxRate: body.tax_rate ?? decimal(0),
          timeZone: body.timezone,
          billingAddress: body.billing_address,
          testClockId: clockId,
          clockTime: clock?.frozenTime ?? null,
          metadata: body.metadata,
          createdAt: clock?.frozenTime ?? now,
        };
        if (!(await insertCustomer(tx, caller.accountId, customer))) {
          throw conflict(`A customer with customer_id ${body.customer_id} already exists.`);
        }
        const billing = await loadCustomerBilling({ tx, usage }, caller.accountId, [customer]);
        return customerToWire(customer, billing.of(customer));
      }),
    );
  },
});
