import type { Operation } from './operation.ts';
import { featureAccess } from './routes/access/feature-access.ts';
import { metricAccess } from './routes/access/metric-access.ts';
import { retrieveAccount } from './routes/account/retrieve-account.ts';
import { updateAccount } from './routes/account/update-account.ts';
import { archiveAddon } from './routes/addons/archive-addon.ts';
import { createAddon } from './routes/addons/create-addon.ts';
import { listAddons } from './routes/addons/list-addons.ts';
import { retrieveAddon } from './routes/addons/retrieve-addon.ts';
import { updateAddon } from './routes/addons/update-addon.ts';
import { createApiKey } from './routes/api-keys/create-api-key.ts';
import { listApiKeys } from './routes/api-keys/list-api-keys.ts';
import { revokeApiKey } from './routes/api-keys/revoke-api-key.ts';
import { rotateApiKey } from './routes/api-keys/rotate-api-key.ts';
import { listAuditLog } from './routes/audit-log/list-audit-log.ts';
import { retrieveChainHead } from './routes/chain/retrieve-chain-head.ts';
import { archiveCoupon } from './routes/coupons/archive-coupon.ts';
import { createCoupon } from './routes/coupons/create-coupon.ts';
import { listCoupons } from './routes/coupons/list-coupons.ts';
import { retrieveCoupon } from './routes/coupons/retrieve-coupon.ts';
import { updateCoupon } from './routes/coupons/update-coupon.ts';
import { createCredit } from './routes/credits/create-credit.ts';
import { listCredits } from './routes/credits/list-credits.ts';
import { retrieveCredit } from './routes/credits/retrieve-credit.ts';
import { updateCredit } from './routes/credits/update-credit.ts';
import { voidCredit } from './routes/credits/void-credit.ts';
import { costAnalysis } from './routes/customers/cost-analysis.ts';
import { createCustomer } from './routes/customers/create-customer.ts';
import { createPortalLink } from './routes/customers/create-portal-link.ts';
import { customerLedger } from './routes/customers/customer-ledger.ts';
import { deleteCustomer } from './routes/customers/delete-customer.ts';
import { draftInvoice } from './routes/customers/draft-invoice.ts';
import { explainDraftLine } from './routes/customers/explain-draft-line.ts';
import { listAccess } from './routes/customers/list-access.ts';
import { listCustomers } from './routes/customers/list-customers.ts';
import { listDraftLines } from './routes/customers/list-draft-lines.ts';
import { listPortalLinks } from './routes/customers/list-portal-links.ts';
import { retrieveCreditBalance } from './routes/customers/retrieve-credit-balance.ts';
import { retrieveCustomer } from './routes/customers/retrieve-customer.ts';
import { revokePortalLinks } from './routes/customers/revoke-portal-links.ts';
import { updateCustomer } from './routes/customers/update-customer.ts';
import { createDiscount } from './routes/discounts/create-discount.ts';
import { deleteDiscount } from './routes/discounts/delete-discount.ts';
import { listDiscounts } from './routes/discounts/list-discounts.ts';
import { ingestionAudit } from './routes/events/ingestion-audit.ts';
import { listEvents } from './routes/events/list-events.ts';
import { traceEvent } from './routes/events/trace-event.ts';
import { verifyEvents } from './routes/events/verify-events.ts';
import { explainLine } from './routes/invoices/explain-line.ts';
import { listInvoiceLines } from './routes/invoices/list-invoice-lines.ts';
import { listInvoices } from './routes/invoices/list-invoices.ts';
import { listParity } from './routes/invoices/list-parity.ts';
import { markPaid } from './routes/invoices/mark-paid.ts';
import { markUncollectible } from './routes/invoices/mark-uncollectible.ts';
import { payInvoice } from './routes/invoices/pay-invoice.ts';
import { retrieveInvoice } from './routes/invoices/retrieve-invoice.ts';
import { retrieveInvoicePdf } from './routes/invoices/retrieve-invoice-pdf.ts';
import { voidInvoice } from './routes/invoices/void-invoice.ts';
import { archiveMetric } from './routes/metrics/archive-metric.ts';
import { createMetric } from './routes/metrics/create-metric.ts';
import { listMetrics } from './routes/metrics/list-metrics.ts';
import { metricUsage } from './routes/metrics/metric-usage.ts';
import { previewMetric } from './routes/metrics/preview-metric.ts';
import { retrieveMetric } from './routes/metrics/retrieve-metric.ts';
import { updateMetric } from './routes/metrics/update-metric.ts';
import { retrieveOverview } from './routes/overview/retrieve-overview.ts';
import { search } from './routes/overview/search.ts';
import { connectPaymentProvider } from './routes/payment-providers/connect-payment-provider.ts';
import { disconnectPaymentProvider } from './routes/payment-providers/disconnect-payment-provider.ts';
import { listPaymentProviders } from './routes/payment-providers/list-payment-providers.ts';
import { archivePlan } from './routes/plans/archive-plan.ts';
import { createPlan } from './routes/plans/create-plan.ts';
import { createPrice } from './routes/plans/create-price.ts';
import { listHeldUsage } from './routes/plans/list-held-usage.ts';
import { listPlanVersions } from './routes/plans/list-plan-versions.ts';
import { listPlans } from './routes/plans/list-plans.ts';
import { listPrices } from './routes/plans/list-prices.ts';
import { previewPlan } from './routes/plans/preview-plan.ts';
import { retrievePlan } from './routes/plans/retrieve-plan.ts';
import { updatePlan } from './routes/plans/update-plan.ts';
import { cancelRefund } from './routes/refunds/cancel-refund.ts';
import { completeRefund } from './routes/refunds/complete-refund.ts';
import { createRefund } from './routes/refunds/create-refund.ts';
import { listRefunds } from './routes/refunds/list-refunds.ts';
import { retrieveRefund } from './routes/refunds/retrieve-refund.ts';
import { attachAddon } from './routes/subscriptions/attach-addon.ts';
import { cancelAddon } from './routes/subscriptions/cancel-addon.ts';
import { cancelSubscription } from './routes/subscriptions/cancel-subscription.ts';
import { changePrepaidUnits } from './routes/subscriptions/change-prepaid-units.ts';
import { createSubscription } from './routes/subscriptions/create-subscription.ts';
import { listSubscriptions } from './routes/subscriptions/list-subscriptions.ts';
import { pauseSubscription } from './routes/subscriptions/pause-subscription.ts';
import { replacePhases } from './routes/subscriptions/replace-phases.ts';
import { resumeSubscription } from './routes/subscriptions/resume-subscription.ts';
import { retrieveSubscription } from './routes/subscriptions/retrieve-subscription.ts';
import { subscriptionTimeline } from './routes/subscriptions/subscription-timeline.ts';
import { subscriptionWorkflow } from './routes/subscriptions/subscription-workflow.ts';
import { switchPlan } from './routes/subscriptions/switch-plan.ts';
import { updateSubscription } from './routes/subscriptions/update-subscription.ts';
import { advanceTestClock } from './routes/test-clocks/advance-test-clock.ts';
import { createTestClock } from './routes/test-clocks/create-test-clock.ts';
import { deleteTestClock } from './routes/test-clocks/delete-test-clock.ts';
import { listTestClocks } from './routes/test-clocks/list-test-clocks.ts';
import { retrieveTestClock } from './routes/test-clocks/retrieve-test-clock.ts';
import { createWebhook } from './routes/webhooks/create-webhook.ts';
import { deleteWebhook } from './routes/webhooks/delete-webhook.ts';
import { listAllDeliveries } from './routes/webhooks/list-all-deliveries.ts';
import { listWebhookDeliveries } from './routes/webhooks/list-webhook-deliveries.ts';
import { listWebhooks } from './routes/webhooks/list-webhooks.ts';
import { redeliverWebhook } from './routes/webhooks/redeliver-webhook.ts';
import { retrieveWebhook } from './routes/webhooks/retrieve-webhook.ts';
import { retrieveWebhookDelivery } from './routes/webhooks/retrieve-webhook-delivery.ts';
import { rollWebhookSecret } from './routes/webhooks/roll-webhook-secret.ts';
import { testWebhook } from './routes/webhooks/test-webhook.ts';
import { updateWebhook } from './routes/webhooks/update-webhook.ts';

/** Every operation of the API, in the order of the OpenAPI document. */
export const OPERATIONS: Operation[] = [
  retrieveOverview,
  search,
  retrieveAccount,
  updateAccount,
  createApiKey,
  listApiKeys,
  rotateApiKey,
  revokeApiKey,
  createCustomer,
  retrieveCustomer,
  listCustomers,
  updateCustomer,
  deleteCustomer,
  draftInvoice,
  listDraftLines,
  explainDraftLine,
  costAnalysis,
  customerLedger,
  createPortalLink,
  listPortalLinks,
  revokePortalLinks,
  verifyEvents,
  listEvents,
  traceEvent,
  ingestionAudit,
  createMetric,
  previewMetric,
  listMetrics,
  retrieveMetric,
  updateMetric,
  archiveMetric,
  metricUsage,
  createPlan,
  previewPlan,
  listPlans,
  retrievePlan,
  updatePlan,
  listPlanVersions,
  listPrices,
  listHeldUsage,
  archivePlan,
  createPrice,
  createAddon,
  listAddons,
  retrieveAddon,
  updateAddon,
  archiveAddon,
  createCoupon,
  listCoupons,
  retrieveCoupon,
  updateCoupon,
  archiveCoupon,
  metricAccess,
  featureAccess,
  listAccess,
  createSubscription,
  retrieveSubscription,
  listSubscriptions,
  updateSubscription,
  replacePhases,
  cancelSubscription,
  switchPlan,
  pauseSubscription,
  resumeSubscription,
  changePrepaidUnits,
  subscriptionTimeline,
  subscriptionWorkflow,
  attachAddon,
  cancelAddon,
  createDiscount,
  listDiscounts,
  deleteDiscount,
  listParity,
  retrieveInvoice,
  retrieveInvoicePdf,
  listInvoices,
  listInvoiceLines,
  explainLine,
  markPaid,
  payInvoice,
  voidInvoice,
  markUncollectible,
  createCredit,
  listCredits,
  retrieveCreditBalance,
  retrieveCredit,
  updateCredit,
  voidCredit,
  createRefund,
  retrieveRefund,
  listRefunds,
  completeRefund,
  cancelRefund,
  listPaymentProviders,
  connectPaymentProvider,
  disconnectPaymentProvider,
  createTestClock,
  retrieveTestClock,
  listTestClocks,
  advanceTestClock,
  deleteTestClock,
  createWebhook,
  retrieveWebhook,
  listWebhooks,
  updateWebhook,
  deleteWebhook,
  rollWebhookSecret,
  testWebhook,
  listWebhookDeliveries,
  retrieveWebhookDelivery,
  redeliverWebhook,
  listAllDeliveries,
  listAuditLog,
  retrieveChainHead,
];
