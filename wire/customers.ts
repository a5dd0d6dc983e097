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
  searchInput,
} from './primitives.ts';
import { subscriptionToWire, subscriptionWire } from './subscriptions.ts';

const email = z
  .email({ error: ({ input }) => (input === undefined ? undefined : 'Must be an email address.') })
  .max(320)
  .openapi({ description: 'Primary billing address.', example: 'billing@acme.example' });
const customerName = z.string().max(1_000);
const timezone = z.string().refine(isTimeZone, 'Must be an IANA time zone.');
const taxRate = decimalInput
  .refine((rate) => rate.gte(0) && rate.lte(100), 'Must be from 0 to 100.')
  .openapi({ type: 'number', format: 'decimal', minimum: 0, maximum: 100, default: 0 });
const paymentProvider = z.enum(PAYMENT_PROVIDERS).nullable();
const paymentProviderId = z.string().min(1).max(256).nullable();

/** Filters of GET /api/customers/ (spec/api#lists). */
export const customerFilters = {
  search: searchInput.optional(),
  test_clock_id: z
    .string()
    .optional()
    .openapi({ description: 'Only customers in the time of this test clock.', example: 'clock_01jd3k9x' }),
  billed_to: z
    .string()
    .optional()
    .openapi({ description: 'Only customers that this one is billed for.', example: 'acme' }),
};

const BILLED_TO =
  'The customer that is billed for this one, on consolidated invoices; of the same currency, time zone and test clock. Null: it is billed itself.';

/** Body of POST /api/customers/ (spec/customers#record). */
export const customerCreate = z
  .strictObject({
    customer_id: callerIdInput.openapi({
      description: 'Id of the customer, chosen by you: 1 to 256 characters.',
      example: 'acme',
    }),
    email,
    customer_name: customerName
      .default('')
      .openapi({ description: 'Display name, as invoices show it.', example: 'Acme Inc.' }),
    default_currency_code: currencyCodeInput.optional().openapi({
      description: "ISO 4217 code of the customer's invoices, in any case; by default the account's.",
      example: 'usd',
    }),
    timezone: timezone
      .default('UTC')
      .openapi({ description: 'IANA name of the time zone that periods and days are in.', example: 'Europe/Berlin' }),
    tax_rate: taxRate
      .optional()
      .openapi({ description: 'Tax of its invoices in percent: 10.5 is 10.5 percent.', example: 19 }),
    billing_address: addressInput
      .nullable()
      .default(null)
      .openapi({ description: 'The address on its invoices; null: none.' }),
    payment_provider: paymentProvider
      .default(null)
      .openapi({ description: 'The payment processor of the customer; null until set.', example: null }),
    payment_provider_id: paymentProviderId
      .default(null)
      .openapi({ description: "The customer's id at the processor; null until set.", example: null }),
    test_clock_id: z
      .string()
      .nullable()
      .default(null)
      .openapi({ description: 'The test clock that the customer lives on; null: real time.', example: null }),
    billed_to: z.string().nullable().default(null).openapi({ description: BILLED_TO, example: null }),
    metadata: metadataInput.default({}).openapi({
      description: "The caller's own texts: up to 50 keys with values of up to 500 characters.",
      example: { team: 'growth' },
    }),
  })
  .openapi({
    example: {
      customer_id: 'acme',
      email: 'billing@acme.example',
      customer_name: 'Acme Inc.',
      timezone: 'Europe/Berlin',
    },
  });
export type CustomerCreate = z.output<typeof customerCreate>;

/** Body of PATCH /api/customers/<id>/ (spec/customers#record): what is left out stays as it is. */
export const customerUpdate = z
  .strictObject({
    email: email.optional(),
    customer_name: customerName
      .optional()
      .openapi({ description: 'Display name, as invoices to come show it.', example: 'Acme Inc.' }),
    default_currency_code: currencyCodeInput.optional().openapi({
      description: "ISO 4217 code of the customer's invoices, in any case; by default the account's.",
      example: 'usd',
    }),
    timezone: timezone
      .optional()
      .openapi({ description: 'IANA name of the time zone that periods and days are in.', example: 'Europe/Berlin' }),
    tax_rate: taxRate.optional().openapi({ description: 'Tax of its invoices to come, in percent.', example: 19 }),
    billing_address: addressInput
      .nullable()
      .optional()
      .openapi({ description: 'The address on its invoices to come; null: none.' }),
    payment_provider: paymentProvider
      .optional()
      .openapi({ description: 'The payment processor of the customer; null until set.', example: null }),
    payment_provider_id: paymentProviderId
      .optional()
      .openapi({ description: "The customer's id at the processor; null until set.", example: null }),
    test_clock_id: z
      .string()
      .nullable()
      .optional()
      .openapi({ description: 'The test clock that the customer lives on; null: real time.', example: null }),
    billed_to: z.string().nullable().optional().openapi({ description: BILLED_TO, example: null }),
    metadata: metadataInput.optional().openapi({
      description: "The caller's own texts: up to 50 keys with values of up to 500 characters.",
      example: { team: 'growth' },
    }),
  })
  .openapi({
    example: {
      tax_rate: 19,
      billing_address: { line1: 'Main Street 1', city: 'Berlin', country: 'DE' },
    },
  });
export type CustomerUpdate = z.output<typeof customerUpdate>;

/** The customer's own fields, as lists have them. */
export const customerWire = z
  .object({
    customer_id: z.string().openapi({ description: 'Id of the customer, chosen by you.', example: 'acme' }),
    customer_name: z.string().openapi({ description: 'Display name, as invoices show it.', example: 'Acme Inc.' }),
    email: z.string().openapi({ description: 'Primary billing address.', example: 'billing@acme.example' }),
    default_currency: currencyWire.openapi({ description: "Currency of the customer's invoices." }),
    payment_provider: z
      .string()
      .nullable()
      .openapi({ description: 'The payment processor of the customer; null until set.', example: null }),
    payment_provider_id: z
      .string()
      .nullable()
      .openapi({ description: "The customer's id at the processor; null until set.", example: null }),
    has_payment_method: z
      .boolean()
      .openapi({ description: 'Whether the payment processor has a valid payment method.', example: false }),
    tax_rate: decimalWire.openapi({ description: 'Tax of its invoices in percent: 10.5 is 10.5 percent.', example: 0 }),
    timezone: z
      .string()
      .openapi({ description: 'IANA name of the time zone that periods and days are in.', example: 'Europe/Berlin' }),
    billing_address: z
      .union([addressWire, z.null()])
      .openapi({ description: 'The address on invoices; null until set.' }),
    subscriptions: z
      .array(subscriptionWire)
      .openapi({ description: 'Subscriptions that are pending, active or paused.' }),
    invoices: z.array(invoiceWire).openapi({ description: 'The newest invoices of the customer.' }),
    total_amount_due: decimalWire.openapi({
      description: 'Sum of what is due on open and uncollectible invoices.',
      example: 0,
    }),
    test_clock_id: z
      .string()
      .nullable()
      .openapi({ description: 'The test clock that the customer lives on; null: real time.', example: null }),
    billed_to: z.string().nullable().openapi({ description: BILLED_TO, example: null }),
    metadata: metadataWire.openapi({
      description: "The caller's own texts: up to 50 keys with values of up to 500 characters.",
      example: { team: 'growth' },
    }),
    created_at: instantWire.openapi({ description: 'When the customer was made; in clock time on a test clock.' }),
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
    billed_to: customer.billedTo,
    metadata: customer.metadata,
    created_at: isoFromInstant(customer.createdAt),
  };
}
