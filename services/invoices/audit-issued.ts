import type { IssuedInvoice } from '../../billing/invoices/invoice.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { invoiceToWire } from '../../wire/invoices.ts';
import { created } from '../audit/audited.ts';
import { BY_SYSTEM } from '../audit/origin.ts';
import { saveAuditEntries } from '../audit/save-audit-entry.ts';

/** Writes down that invoices were issued by themselves, as time passed; of one with thousands of lines they are not looked at again. */
export function auditIssued(tx: Transaction, accountId: string, issued: readonly IssuedInvoice[]): void {
  const deed = { accountId, action: 'invoice.created', origin: BY_SYSTEM } as const;
  const records = issued.map((invoice) => created(invoiceToWire({ ...invoice, lines: [] })));
  saveAuditEntries(tx, deed, records);
}
