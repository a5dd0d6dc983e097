import type { Instant } from '../../../core/instants.ts';
import type { JsonText } from '../../../runtime/exact-json.ts';
import { parseStoredJson } from '../../../runtime/exact-json.ts';
import { type PageOf, type PageWindow, pageOfAll } from '../../../sql/postgres/page-window.ts';
import type { CustomerRef } from '../../references.ts';
import { type DraftSources, draftInvoice } from '../draft.ts';

/** What tells a line of a draft from the others, however usage goes on: it has no id. */
const NAMED_BY = [
  ...['customer_id', 'subscription_id', 'type', 'metric_id', 'addon_id', 'credit_id', 'discount_id', 'price_id'],
  ...['period_start', 'group'],
];

/** One page of the lines of a customer's draft, in their order. @throws DomainError `not_found` */
export async function listDraftLines(
  sources: DraftSources,
  customer: CustomerRef,
  now: Instant,
  window: PageWindow,
): Promise<PageOf<JsonText>> {
  const { lines } = await draftInvoice(sources, customer, now, Number.POSITIVE_INFINITY);
  return pageOfAll(lines, nameOf, window);
}

function nameOf({ text }: JsonText): string {
  const fields = Object.entries(Object(parseStoredJson(text)));
  return JSON.stringify(fields.filter(([name]) => NAMED_BY.includes(name)));
}
