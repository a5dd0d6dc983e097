/** What the operations are about, in the order of the document. */
export const TAGS = {
  Overview: 'The account at a glance, and one search over all of it.',
  Account: 'Settings that hold for everything in the account.',
  'API keys': 'Keys of the account and what each may do.',
  Customers: 'Whom invoices are for, what they owe, and what they cost.',
  Events: 'Usage events: sending them, and looking whether they arrived.',
  Metrics: 'How usage events become one value for a customer and a time.',
  Plans: 'What a subscription costs and includes. Each change makes a version; what was sold stays.',
  'Add-ons': 'Fees that are attached to single subscriptions.',
  Coupons: 'Terms of discounts: what they take off, of what, and for how long.',
  Access: 'Whether a customer may use a feature or a metric right now.',
  Subscriptions: 'Which customer has which plan, from when to when.',
  Invoices: 'What was billed, line by line, and whether it is paid.',
  Credits: 'Money that reduces the next invoices of a customer.',
  Refunds: 'Money that goes back to a customer who has paid.',
  'Payment providers': 'Processors that charge invoices on their due date.',
  'Test clocks': 'Time of its own for customers of an account in test mode.',
  Webhooks: 'Endpoints that are told of what happens, and what was sent to them.',
  'Audit log': 'What was changed, by whom, from where, and what it was before.',
} as const;

export type Tag = keyof typeof TAGS;
