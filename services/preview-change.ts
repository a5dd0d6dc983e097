import { isNewId, newId } from '../core/ids.ts';
import type { Instant } from '../core/instants.ts';
import { withoutNumbersToCome } from '../sql/postgres/invoices/invoice-numbers.ts';
import { listOwnEvents } from '../sql/postgres/outbox.ts';
import type { Transaction } from '../sql/postgres/postgres.ts';
import { findSubscription } from '../sql/postgres/subscriptions/subscriptions.ts';
import type { ChangePreview, PreviewedRecord } from '../wire/previews.ts';
import { currencyToWire } from '../wire/primitives.ts';
import { sumDraft } from './invoices/draft.ts';
import type { InvoiceSources } from './invoices/load-invoice-inputs.ts';
import type { AccountRef } from './references.ts';

/** Looks at what a change has made, at the end of its transaction; throws, so that all of it is undone. */
export type Inspect = (tx: Transaction, result: unknown) => Promise<void>;

/** Does a change, and has it inspected. Throws what the change is refused with. */
export type Perform = (inspect: Inspect) => Promise<unknown>;

/**
 * What a change would do, by doing it and undoing it (spec/api#previews): its result, the invoices, credits and refunds that it
 * makes, with null for what has no id yet, and the customer's draft before and after. Nothing of it is written or published.
 */
export async function previewChange(
  sources: InvoiceSources,
  { accountId, now }: AccountRef & { now: Instant },
  perform: Perform,
): Promise<ChangePreview> {
  const since = newId('req');
  const { result, events, customerId } = await undone(perform, async (tx, made) => ({
    result: recordOf(made),
    events: await listOwnEvents(tx, accountId),
    customerId: await customerOf(tx, accountId, recordOf(made)),
  }));
  const question = { accountId, customerId, now };
  const before = await sumDraft(sources, question);
  const after = await sumDraft(sources, question, (read) => undone(perform, read));
  const madeOf = (type: string) => events.filter((event) => event.type === type).map(({ data }) => recordOf(data));
  // A refund's id is made of what it is for, and says nothing of when.
  const refundIds = new Set(madeOf('refund.created').map(({ refund_id }) => refund_id));
  const isNew = (value: string) => isNewId(value, since) || refundIds.has(value);
  const shown = (record: PreviewedRecord) => withoutNewIds(record, isNew);
  return {
    result: shown(result),
    invoices: madeOf('invoice.created').map(shown),
    credits: madeOf('credit.created').map(shown),
    refunds: madeOf('refund.created').map(shown),
    draft_before: draftToWire(before),
    draft_after: draftToWire(after),
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
function withoutNewIds(record: PreviewedRecord, isNew: IsNew): PreviewedRecord {
  const isNewInvoice = typeof record.invoice_id === 'string' && isNew(record.invoice_id);
  const entries = Object.entries(record).map(([name, value]) => {
    return [name, name === 'invoice_number' && isNewInvoice ? null : withoutNew(value, isNew)];
  });
  return Object.fromEntries(entries);
}

type IsNew = (text: string) => boolean;

function withoutNew(value: unknown, isNew: IsNew): unknown {
  if (typeof value === 'string') return isNew(value) ? null : withoutNumbersToCome(value);
  if (Array.isArray(value)) return value.map((one) => withoutNew(one, isNew));
  const isRecord = typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
  return isRecord ? withoutNewIds(value as PreviewedRecord, isNew) : value;
}

function draftToWire({ currency, total, amountDue }: Awaited<ReturnType<typeof sumDraft>>) {
  return { currency: currencyToWire(currency), total, amount_due: amountDue };
}
