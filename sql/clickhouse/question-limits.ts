import { ClickHouseError, type ClickHouseSettings } from '@clickhouse/client';

/** What a question about usage may take, and what is done when that is not enough. */
export type QuestionLimits = {
  settings: ClickHouseSettings;
  /** ClickHouse's errors that a smaller statement may not meet. */
  halvedAt: ReadonlySet<string>;
  /** How a single question that met one of them is asked once more; without it, it fails. */
  alone?: ClickHouseSettings;
};

const GIB = 2 ** 30;

/** A statement that is too long is never sent; the first three are ClickHouse's own bounds on what a text may unfold to. */
const TOO_BIG = ['168' /* TOO_BIG_AST */, '167' /* TOO_DEEP_AST */, '306' /* TOO_DEEP_RECURSION */, '241' /* MEMORY */];
const TOO_SLOW = ['159' /* TIMEOUT_EXCEEDED */, '160' /* TOO_SLOW */];

const ALWAYS: ClickHouseSettings = {
  // An answer is a few rows: threads to write it take longer than to write it.
  output_format_parallel_formatting: 0,
  // There are none: to look for one takes a tenth of a small question's time.
  optimize_use_projections: 0,
};

/**
 * A person waits, and may go away: one huge customer must not take the server down, so a question beyond these fails.
 * `unique` keeps 16 bytes and the slack of a hash table for each distinct text: enough for about 40 million of them.
 */
export const OF_A_CALLER: QuestionLimits = {
  settings: { ...ALWAYS, max_execution_time: 30, max_memory_usage: String(2 * GIB) },
  halvedAt: new Set(TOO_BIG),
};

const CLOSING_HOURS = 6;
/** A client that waits for a closing's question: longer than the server works on it, so that the server ends first. */
export const CLOSING_REQUEST_MS = CLOSING_HOURS * 3_600_000 + 60_000;

/**
 * A closing must come to its end, however large the customer: what is too much at once is asked in smaller and smaller
 * parts, and a question that is too much by itself with hours of time, and groups that go to disk instead of memory.
 */
export const OF_A_CLOSING: QuestionLimits = {
  settings: { ...ALWAYS, max_execution_time: 120, max_memory_usage: String(2 * GIB) },
  halvedAt: new Set([...TOO_BIG, ...TOO_SLOW]),
  alone: {
    ...ALWAYS,
    max_execution_time: CLOSING_HOURS * 3600,
    max_memory_usage: String(4 * GIB),
    max_bytes_before_external_group_by: String(GIB),
  },
};

/** A statement of more than one question that is longer than ClickHouse would take. */
export class TooLong extends Error {
  constructor() {
    super('too many questions for one statement');
  }
}

/** Whether fewer questions, or other limits, may have an answer where these failed: ClickHouse's error, or a refusal for it. */
export function isTooMuch(error: unknown, { halvedAt }: QuestionLimits): boolean {
  if (error instanceof TooLong) return true;
  const own = error instanceof ClickHouseError ? error : error instanceof Error && error.cause;
  return own instanceof ClickHouseError && halvedAt.has(own.code);
}
