/** An account, and its one customer. */
export const ACCOUNT = {
  accountId: 'acct_1',
  name: 'Account',
  mode: 'test' as const,
  defaultCurrency: 'USD',
  netTermsDays: 0,
  invoiceGraceSeconds: 0,
  rateLimit: null,
  paymentRetryDays: [],
  lateUsage: 'next_invoice' as const,
};

export const CUSTOMER = {
  customerId: 'c1',
  customerName: 'Customer one',
  email: 'c1@example.com',
  currency: 'USD',
  paymentProvider: null,
  paymentProviderId: null,
  hasPaymentMethod: false,
  hasDiscounts: false,
  timeZone: 'UTC',
  billingAddress: null,
  testClockId: 'clock_1',
  clockTime: null,
  billedTo: null,
  isPayer: false,
  metadata: {},
  createdAt: 0,
};
