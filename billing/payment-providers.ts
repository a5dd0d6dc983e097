/** The payment processors there are (contract 10); every customer, connection and attempt names one. */
export const PAYMENT_PROVIDERS = ['stripe', 'braintree'] as const;
export type PaymentProvider = (typeof PAYMENT_PROVIDERS)[number];
