import { sumOfInvoices } from '../../billing/invoices/compute-draft.ts';
import { type Instant, isoFromInstant } from '../../core/instants.ts';
import { inTurns } from '../../runtime/in-turns.ts';
import type { AnswerRoom } from '../../sql/postgres/page-window.ts';
import type { UsageProgress } from '../../stream/progress.ts';
import type { CustomerRef } from '../references.ts';
import { loadDraft, loadDraftedInvoices } from './load-draft.ts';
import type { InvoiceSources } from './load-invoice-inputs.ts';
import { draftWriter, lineWriter, writtenInvoices } from './write-draft.ts';

/** What a draft is computed from; `room`: how much of it may be held here. */
export type DraftSources = InvoiceSources & { progress: Pick<UsageProgress, 'asOf'>; room: AnswerRoom };

/**
 * What the next boundary would invoice now, by subscription and in all, as the API answers it: computed as the final invoices
 * are, and nothing is written. Lines beyond `mostBytes` of text are left out.
 * @throws DomainError `not_found`
 */
export async function draftInvoice(
  sources: DraftSources,
  { accountId, customerId }: CustomerRef,
  now: Instant,
  mostBytes = sources.room.mostBytes,
) {
  // Asked for before ClickHouse is: what has landed by now is in the answer, and maybe more.
  const askedAsOf = sources.progress.asOf();
  askedAsOf.catch(() => {}); // rejects where it is awaited
  const question = { accountId, customerId, now };
  const draft = await loadDraft(sources, question);
  const { customer } = draft.state;
  const writer = draftWriter(draft, lineWriter(sources.room, mostBytes, 2));
  const written = await inTurns(writtenInvoices(await loadDraftedInvoices(sources, question, draft), writer));
  const counted = written.filter(({ condition }) => condition === null);
  const only = counted.length === 1 ? (counted[0]?.subscriptionId ?? null) : null;
  const [first = counted.length === 0 ? draft.today : null] = counted
    .flatMap(({ issuedOn }) => issuedOn ?? [])
    .toSorted();
  return {
    ...writer.invoice(sumOfInvoices(counted, customer), { subscriptionId: only, issuedOn: first, condition: null }),
    as_of: isoFromInstant(await askedAsOf),
    invoices: written.map(({ record }) => record),
  };
}
