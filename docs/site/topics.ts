/** The pages of docs/guide in the order of reading: what each group is called, and its files without their ending. */
export const TOPICS: Record<string, readonly string[]> = {
  Guide: ['quickstart', 'events', 'metrics', 'webhooks', 'payments', 'console', 'test-clocks', 'migrating'],
  Billing: ['pricing-models', 'periods', 'proration', 'previews', 'taxes-and-credits'],
  Calling: ['typescript', 'scopes', 'pagination', 'errors', 'retries', 'versioning'],
};
