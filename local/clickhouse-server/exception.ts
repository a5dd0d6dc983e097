/** What ClickHouse says when it refuses: number, name and text, as its HTTP interface sends them. */
export type Exception = { code: number; text: string; status: number };

const SYNTAX = new Set([6, 26, 27, 36, 38, 41, 42, 43, 44, 47, 53, 62, 72, 117, 130, 386, 456, 457]);
const NOT_FOUND = new Set([16, 46, 60, 81, 115]);
const FORBIDDEN = new Set([497, 516]);
const TOO_MANY_QUERIES = 202;

/** Reads an error of the engine, whose text begins with `Code: N. DB::Exception:`; anything else is code 1002 (UNKNOWN_EXCEPTION). */
export function exceptionOf(error: unknown): Exception {
  const text = error instanceof Error ? error.message : String(error);
  // An insert from a file says its code twice; the client shows what comes after the last one.
  const clean = text.replace(/^Code: \d+\. DB::Exception: (?=Code: \d+\. DB::Exception: )/, '');
  const code = Number(/^Code: (\d+)\./.exec(clean)?.[1] ?? 0);
  if (code === 0) return exception(1002, clean, 'UNKNOWN_EXCEPTION');
  return { code, text: clean, status: statusOf(code) };
}

/** An exception of this server's own making, in the engine's form. */
export function exception(code: number, message: string, name: string): Exception {
  return { code, text: `Code: ${code}. DB::Exception: ${message} (${name})`, status: statusOf(code) };
}

function statusOf(code: number): number {
  if (SYNTAX.has(code)) return 400;
  if (NOT_FOUND.has(code)) return 404;
  if (FORBIDDEN.has(code)) return 403;
  return code === TOO_MANY_QUERIES ? 503 : 500;
}

/** Carries an exception to where the answer is written. */
export class Refusal extends Error {
  readonly exception: Exception;
  constructor(refused: Exception) {
    super(refused.text);
    this.exception = refused;
  }
}
