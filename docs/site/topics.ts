import { join } from 'node:path';

/** The pages of the guide in the order of reading: what each group is called, and its files without their ending. */
export const TOPICS: Record<string, readonly string[]> = {
  Guide: [
    'quickstart',
    'events',
    'senders',
    'from-openmeter-lago-litellm',
    'metrics',
    'webhooks',
    'payments',
    'console',
    'test-clocks',
    'migrating',
  ],
  Billing: ['pricing-models', 'deals', 'periods', 'calendars', 'pricing', 'proration', 'previews', 'taxes-and-credits'],
  Calling: ['typescript', 'scopes', 'pagination', 'errors', 'retries', 'versioning'],
};

/** Those that are in docs/ itself, where they are looked for in the repository. */
const BESIDE_GUIDE = new Set(['senders', 'from-openmeter-lago-litellm', 'calendars', 'pricing']);

/** Where a page of the guide is written. */
export function fileOfPage(name: string): string {
  return join(import.meta.dirname, BESIDE_GUIDE.has(name) ? '..' : '../guide', `${name}.md`);
}
