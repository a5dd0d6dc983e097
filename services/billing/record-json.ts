import type { NamedAudit, NamedEvent, NewCredit } from '../../billing/change-set.ts';
import type { NewOutboxEvent } from '../../sql/postgres/outbox.ts';
import { collectableEvent } from '../../sql/postgres/payments/collections.ts';
import { creditToWire } from '../../wire/credits.ts';
import { type InvoiceWire, invoiceToWire } from '../../wire/invoices.ts';
import { refundToWire } from '../../wire/refunds.ts';
import { type Audited, created } from '../audit/audited.ts';
import type { SavedChanges } from './saved-ids.ts';

/** Returns events with the JSON of the records that they name. Throws for a record that the change set neither makes nor changes. */
export function eventsOf(saved: SavedChanges, events: readonly NamedEvent[]): NewOutboxEvent[] {
  const invoiceOf = invoicesOf(saved);
  const creditOf = lookUp(saved.credits.map((credit) => [credit.creditId, credit]));
  const refundOf = lookUp([...saved.refunds, ...(saved.refundsChanged ?? [])].map((one) => [one.refundId, one]));
  // An invoice that is paid at once has two events.
  const shown = new Map<string, InvoiceWire>();
  const show = (invoiceId: string) => {
    const wire = shown.get(invoiceId) ?? invoiceToWire(invoiceOf(invoiceId));
    shown.set(invoiceId, wire);
    return wire;
  };
  return events.map((event) => {
    if (event.type === 'credit.created') return creditEvent(creditOf(event.creditId));
    if ('refundId' in event) {
      const { type, refundId } = event;
      return { type, subject: `refund/${refundId}`, data: refundToWire(refundOf(refundId)) };
    }
    const { type, invoiceId } = event;
    if (type === 'invoice.collectable') return collectableEvent({ invoiceId });
    return { type, subject: `invoice/${invoiceId}`, data: show(invoiceId) };
  });
}

/** Returns audit entries with the JSON of the records that they name. */
export function auditedOf(saved: SavedChanges, audit: readonly NamedAudit[]): Audited<InvoiceWire>[] {
  const invoiceOf = invoicesOf(saved);
  // The audit log does not keep lines: an invoice may have thousands of them.
  return audit.map(({ invoiceId }) => created(invoiceToWire({ ...invoiceOf(invoiceId), lines: [] })));
}

function creditEvent(credit: NewCredit): NewOutboxEvent {
  const data = creditToWire(credit, credit.customerToday);
  return { type: 'credit.created', subject: `credit/${credit.creditId}`, data };
}

/** Returns the look-up of the invoices that the change set makes or changes. */
function invoicesOf({ invoices, invoicesChanged = [] }: SavedChanges) {
  const all = [...invoices.map(({ invoice }) => invoice), ...invoicesChanged];
  return lookUp(all.map((invoice) => [invoice.invoiceId, invoice]));
}

function lookUp<T>(records: readonly (readonly [id: string, record: T])[]): (id: string) => T {
  const byId = new Map(records);
  return (id) => {
    const record = byId.get(id);
    if (!record) throw new Error(`a change set names ${id}, which it neither makes nor changes`);
    return record;
  };
}
