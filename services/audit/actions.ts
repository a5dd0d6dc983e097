/** What is written down of: the name of each kind of thing, and the field of its record that holds its id. */
export const RESOURCES = {
  account: 'account_id',
  addon: 'addon_id',
  api_key: 'key_id',
  coupon: 'coupon_id',
  credit: 'credit_id',
  customer: 'customer_id',
  discount: 'discount_id',
  invoice: 'invoice_id',
  metric: 'metric_id',
  payment_provider: 'provider',
  plan: 'plan_id',
  portal_link: 'portal_link_id',
  refund: 'refund_id',
  session: 'session_id',
  subscription: 'subscription_id',
  test_clock: 'test_clock_id',
  webhook: 'webhook_endpoint_id',
  webhook_delivery: 'delivery_id',
} as const;

export type ResourceType = keyof typeof RESOURCES;

/** What was done to which kind of thing: `customer.created`. */
export type AuditAction = `${ResourceType}.${string}`;

/** The kind of thing that an action is done to. */
export function resourceTypeOf(action: AuditAction): ResourceType {
  return action.slice(0, action.indexOf('.')) as ResourceType;
}
