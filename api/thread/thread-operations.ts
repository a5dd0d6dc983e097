import type { ThreadOperation } from '../operation.ts';
import { costAnalysis } from '../routes/customers/cost-analysis.ts';
import { draftInvoice } from '../routes/customers/draft-invoice.ts';
import { explainDraftLine } from '../routes/customers/explain-draft-line.ts';

import { listDraftLines } from '../routes/customers/list-draft-lines.ts';

/** What the thread runs: the rest of the API is not loaded there. */
export const THREAD_OPERATIONS: readonly ThreadOperation[] = [
  draftInvoice,
  listDraftLines,
  explainDraftLine,
  costAnalysis,
].filter((operation) => operation.inThread === true);
