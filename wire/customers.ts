import { z } from '@hono/zod-openapi';
import type { DatedInvoice } from '../billing/invoices/invoice.ts';
import { PAYMENT_PROVIDERS } from '../billing/payments/payment-providers.ts';
import type { Customer, SubscriptionRecord } from '../billing/subscriptions/subscription.ts';
import type { Decimal } from '../core/decimal.ts';
import { isoFromInstant, isTimeZone } from '../core/instants.ts';
import { invoiceToWire, invoiceWire } from './invoices.ts';
import {
  addressInput,
  addressWire,
  callerIdInput,
  currencyCodeInput,
  currencyToWire,
  currencyWire,
  decimalInput,
  decimalWire,
  instantWire,
  metadataInput,
  metadataWire,
} from './primitives.ts';
import { subscriptionToWire, subscriptionWire } from './subscriptions.ts';

const email = z.email('Must be an email address.').max(320);
const customerName = z.string().max(1_000);
const timezone = z.string().refine(isTimeZone, 'Must be an IANA time zone.');
const taxRate = decimalInput
  .refine((rate) => rate.gte(0) && rate.lte(100), 'Must be from 0 to 100.')
  .openapi({ type: 'number', minimum: 0, maximum: 100, default: 0 });
const paymentProvider = z.enum(PAYMENT_PROVIDERS).nullable();
const paymentProviderId = z.string().min(1).max(256).nullable();

/** `search` of GET /api/customers/: beginnings of words (spec/api#lists). */
export const searchInput = z
  .string()
  .refine((text) => [...text].length <= 320, 'Must have at most 320 characters.')
  .refine((text) => /[\p{L}\p{N}]/u.test(text), 'Must have at least one letter or digit.')
  .openapi({ maxLength: 320, example: 'ann acme' });

/** Body of POST /api/customers/ (spec/customers#record). */
export const customerCreate = z.strictObject({
  customer_id: callerIdInput,
  email,
  customer_name: customerName.default(''),
  default_currency_code: currencyCodeInput.optional(),
  timezone: timezone.default('UTC'),
  tax_rate: taxRate.optional(),
  billing_address: addressInput.nullable().default(null),
  payment_provider: paymentProvider.default(null),
  payment_provider_id: paymentProviderId.default(null),
  test_clock_id: z.string().nullable().default(null),
  metadata: metadataInput.default({}),
});

/** Body of PATCH /api/customers/<id>/ (spec/customers#record): what is left out stays as it is. */
export const customerUpdate = z.strictObject({
  email: email.optional(),
  customer_name: customerName.optional(),
  default_currency_code: currencyCodeInput.optional(),
  timezone: timezone.optional(),
  tax_rate: taxRate.optional(),
  billing_address: addressInput.nullable().optional(),
  payment_provider: paymentProvider.optional(),
  payment_provider_id: paymentProviderId.optional(),
  test_clock_id: z.string().nullable().optional(),
  metadata: metadataInput.optional(),
});

/** The customer's own fields, as lists have them. */
export const customerWire = z
  .object({
    customer_id: z.string(),
    customer_name: z.string(),
    email: z.string(),
    default_currency: currencyWire,
    payment_provider: z.string().nullable(),
    payment_provider_id: z.string().nullable(),
    has_payment_method: z.boolean(),
    tax_rate: decimalWire,
    timezone: z.string(),
    billing_address: addressWire.nullable(),
    subscriptions: z.array(subscriptionWire),
    invoices: z.array(invoiceWire),
    total_amount_due: decimalWire,
    test_clock_id: z.string().nullable(),
    metadata: metadataWire,
    created_at: instantWire,
  })
  .openapi('Customer');

export type CustomerWire = z.infer<typeof customerWire>;

/** What a customer's record says of its billing: live subscriptions, newest invoices, what is owed (spec/customers#record). */
export type CustomerBilling = {
  subscriptions: SubscriptionRecord[];
  invoices: DatedInvoice[];
  totalAmountDue: Decimal;
};

/** The customer as the API returns it. */
export function customerToWire(customer: Customer, billing: CustomerBilling): CustomerWire {
  return {
    customer_id: customer.customerId,
    customer_name: customer.customerName,
    email: customer.email,
    default_currency: currencyToWire(customer.currency),
    payment_provider: customer.paymentProvider,
    payment_provider_id: customer.paymentProviderId,
    has_payment_method: customer.hasPaymentMethod,
    tax_rate: customer.taxRate,
    timezone: customer.timeZone,
    billing_address: customer.billingAddress,
    subscriptions: billing.subscriptions.map(subscriptionToWire),
    invoices: billing.invoices.map(invoiceToWire),
    total_amount_due: billing.totalAmountDue,
    test_clock_id: customer.testClockId,
    metadata: customer.metadata,
    created_at: isoFromInstant(customer.createdAt),
  };
}
