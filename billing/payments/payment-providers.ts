/** The payment processors there are (spec/payments#processors); every customer, connection and attempt names one. */
export const PAYMENT_PROVIDERS = ['stripe', 'braintree'] as const;
export type PaymentProvider = (typeof PAYMENT_PROVIDERS)[number];
