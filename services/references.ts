/** What a use case is about, by the ids that name it. Workflows are started with these, so they cross the wire to Temporal as JSON. */
export type AccountRef = { accountId: string };
export type SubscriptionRef = AccountRef & { subscriptionId: string };
export type TestClockRef = AccountRef & { testClockId: string };
export type InvoiceRef = AccountRef & { invoiceId: string };
/** The invoice is named by its id or its number. */
export type InvoiceLineRef = InvoiceRef & { lineId: string };
export type RefundRef = AccountRef & { refundId: string };
export type CreditRef = AccountRef & { creditId: string };
export type AddonRef = AccountRef & { addonId: string };
export type CouponRef = AccountRef & { couponId: string };
export type DiscountRef = SubscriptionRef & { discountId: string };
export type PlanRef = AccountRef & { planId: string };
export type MetricRef = AccountRef & { metricId: string };
export type ApiKeyRef = AccountRef & { keyId: string };
export type WebhookEndpointRef = AccountRef & { webhookEndpointId: string };
export type CustomerRef = AccountRef & { customerId: string };
/** `periodIndex` null: after the last period. */
export type PeriodRef = SubscriptionRef & { periodIndex: number | null };

/** A call of the API, told from any other by its operation id. It may have been done under one of its `formerIds`. */
export type OperationRef = { operationId: string; formerIds?: string[] };
