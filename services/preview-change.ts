import { isNewId, newId } from '../core/ids.ts';
import type { Instant } from '../core/instants.ts';
import { withoutNumbersToCome } from '../sql/postgres/invoices/invoice-numbers.ts';
import { listOwnEvents } from '../sql/postgres/outbox.ts';
import type { Transaction } from '../sql/postgres/postgres.ts';
import { findSubscription } from '../sql/postgres/subscriptions/subscriptions.ts';
import type { ChangePreview, PreviewedRecord } from '../wire/previews.ts';
import { currencyToWire } from '../wire/primitives.ts';
import { type DraftSums, type DraftsSums, type PreviewSources, previewDrafts } from './invoices/preview-drafts.ts';
import type { AccountRef } from './references.ts';

/** Looks at what a change has made, at the end of its transaction; throws, so that all of it is undone. */
export type Inspect = (tx: Transaction, result: unknown) => Promise<void>;

/** Does a change, and has it inspected. Throws what the change is refused with. */
export type Perform = (inspect: Inspect) => Promise<unknown>;

/**
 * What a change would do, by doing it and undoing it (spec/api#previews): its result, the invoices, credits and refunds that it
 * makes, the invoices that will be issued later because of it, and what the drafts come to before and after. What has no id yet has null.
 * Nothing of it is written or published. Drafts count usage up to `upTo`.
 */
export async function previewChange(
  sources: Omit<PreviewSources, 'asShown'>,
  { accountId, now, upTo }: AccountRef & { now: Instant; upTo: bigint },
  perform: Perform,
): Promise<ChangePreview> {
  const since = newId('req');
  const { result, events, customerId } = await undone(perform, async (tx, made) => ({
    result: recordOf(made),
    events: await listOwnEvents(tx, accountId),
    customerId: await customerOf(tx, accountId, recordOf(made)),
  }));
  const madeOf = (type: string) => events.filter((event) => event.type === type).map(({ data }) => recordOf(data));
  // A refund's id is made of what it is for, and says nothing of when.
  const refundIds = new Set(madeOf('refund.created').map(({ refund_id }) => refund_id));
  const isNew = (value: string) => isNewId(value, since) || refundIds.has(value);
  const shown = <T extends object>(record: T) => withoutNewIds(record, isNew);
  const question = { accountId, customerId, now, upTo };
  const drafts = await previewDrafts({ ...sources, asShown: shown }, question, (read) => undone(perform, read));
  return {
    result: shown(result),
    invoices: [...madeOf('invoice.created').map(shown), ...drafts.parts.map(recordOf)],
    credits: madeOf('credit.created').map(shown),
    refunds: madeOf('refund.created').map(shown),
    draft_before: draftsToWire(drafts.before),
    draft_after: draftsToWire(drafts.after),
  };
}

/** Ends the transaction of a change that was looked at. */
class Undone extends Error {}

async function undone<T>(perform: Perform, look: (tx: Transaction, result: unknown) => Promise<T>): Promise<T> {
  const seen: T[] = [];
  try {
    await perform(async (tx, result) => {
      seen.push(await look(tx, result));
      throw new Undone();
    });
  } catch (error) {
    if (!(error instanceof Undone)) throw error;
  }
  const [last] = seen.slice(-1);
  if (last === undefined) throw new Error('a change that is previewed was not done');
  return last;
}

function recordOf(value: unknown): PreviewedRecord {
  if (typeof value !== 'object' || value === null) throw new Error('a change answers no record');
  return value as PreviewedRecord;
}

/** Whose draft a record of the result is about. */
async function customerOf(tx: Transaction, accountId: string, record: PreviewedRecord): Promise<string> {
  if (typeof record.customer_id === 'string') return record.customer_id;
  const subscription = await findSubscription(tx, accountId, String(record.subscription_id));
  if (!subscription) throw new Error('a change is of no customer');
  return subscription.customerId;
}

/** The record with null for each id and invoice number that is not there yet. */
function withoutNewIds<T extends { invoice_id?: unknown }>(record: T, isNew: IsNew): T {
  const isNewInvoice = typeof record.invoice_id === 'string' && isNew(record.invoice_id);
  const entries = Object.entries(record).map(([name, value]) => {
    return [name, name === 'invoice_number' && isNewInvoice ? null : withoutNew(value, isNew)];
  });
  return Object.fromEntries(entries) as T;
}

type IsNew = (text: string) => boolean;

function withoutNew(value: unknown, isNew: IsNew): unknown {
  if (typeof value === 'string') return isNew(value) ? null : withoutNumbersToCome(value);
  if (Array.isArray(value)) return value.map((one) => withoutNew(one, isNew));
  const isRecord = typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
  return isRecord ? withoutNewIds(value as PreviewedRecord, isNew) : value;
}

function draftsToWire({ own, payer }: DraftsSums): ChangePreview['draft_before'] {
  return { ...sumsToWire(own), payer: payer && { customer_id: payer.customerId, ...sumsToWire(payer) } };
}

function sumsToWire({ currency, total, amountDue }: DraftSums) {
  return { currency: currencyToWire(currency), total, amount_due: amountDue };
}
