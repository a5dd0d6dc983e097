import { setPriority } from 'node:os';
import Tinypool from 'tinypool';
import { invoiceDocument } from '../../documents/invoice-document.ts';
import { renderPdf } from '../../documents/render-pdf.ts';
import { createLog } from '../../runtime/log.ts';
import { makePdf } from '../../services/invoices/invoice-pdf.ts';
import type { InvoiceRef } from '../../services/references.ts';
import { ANSWER_LIMIT_MS, createPool } from '../../sql/postgres/postgres.ts';
import type { RendererConfig } from './start-renderer.ts';

/** How far the thread stands back for the API's own: it keeps about half of the share of a call, and is never starved. */
const NICENESS = 3;

const { databaseUrl, mostKeptBytes, logLevel }: RendererConfig = Tinypool.workerData;
const postgres = createPool(databaseUrl, ANSWER_LIMIT_MS, 1);
const log = createLog('api', logLevel);
// As the process itself does: without this the thread would end.
process.on('unhandledRejection', (error) => log.error({ err: error }, 'unhandled rejection'));

// Linux sets the priority of the calling thread; other systems would set that of the whole process.
if (process.platform === 'linux') setPriority(NICENESS);

/** The document of an invoice, kept or rendered now. */
export function invoicePdf(ref: InvoiceRef): Promise<Uint8Array> {
  return makePdf({ postgres, mostKeptBytes, render: (print) => renderPdf(invoiceDocument(print)) }, ref);
}
