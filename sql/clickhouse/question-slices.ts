import type { ClickHouseSettings } from '@clickhouse/client';
import { askRows, type ClickHouseReader } from './ask-rows.ts';
import { inParts, type ParameterizedQuery } from './query-parameters.ts';
import { isTooMuch, type QuestionLimits, TooLong } from './question-limits.ts';

/** Questions in one statement: each of them takes some 5 ms to plan, so that no statement takes long for their number alone. */
const MAX_QUESTIONS = 50;
/** Of text and parameters. ClickHouse parses 256 KiB, and a field of a form, such as the text, has at most 128. */
const MAX_BYTES = 120 * 1024;
/** ClickHouse takes 1,000 fields in one request: parameters, and a few dozen settings. */
const MAX_PARAMETERS = 900;
/** Statements of one caller under way at once: what is left of the server is for others. */
const SLICES_AT_ONCE = 2;

/** Asks one statement within the limits; `settings` are those of the question itself. */
export type AskStatement = <Row>(query: ParameterizedQuery, settings?: ClickHouseSettings) => Promise<Row[]>;

/**
 * Answers to any number of questions, in their order: asked in slices, so that each statement is bounded in length, and a
 * slice that is too much for one statement by halves. `askSome` makes one statement of the questions it gets, by
 * `statement`, and answers them in their order; `alone` says that its only question was too much, and cannot be halved.
 */
export async function askInSlices<Q, A>(
  clickhouse: ClickHouseReader,
  questions: readonly Q[],
  limits: QuestionLimits,
  askSome: (some: readonly Q[], statement: AskStatement, alone: boolean) => Promise<A[]>,
): Promise<A[]> {
  const slices = inParts(questions, MAX_QUESTIONS);
  const answers: A[][] = [];
  const waiting = slices.entries();
  let failed = false;

  async function askWaiting() {
    for (const [i, slice] of waiting) {
      if (failed) return;
      answers[i] = await askSlice(slice);
    }
  }

  async function askSlice(slice: readonly Q[]): Promise<A[]> {
    const statement: AskStatement = (query, settings) => {
      if (slice.length > 1 && !fits(query)) throw new TooLong();
      return askRows(clickhouse, query, { ...limits.settings, ...settings });
    };
    try {
      return await askSome(slice, statement, false);
    } catch (error) {
      if (!isTooMuch(error, limits)) throw error;
      if (slice.length > 1) return askHalves(slice);
      if (limits.alone === undefined) throw error;
      const { alone } = limits;
      return askSome(slice, (query, settings) => askRows(clickhouse, query, { ...settings, ...alone }), true);
    }
  }

  async function askHalves(slice: readonly Q[]): Promise<A[]> {
    const middle = Math.ceil(slice.length / 2);
    const first = await askSlice(slice.slice(0, middle));
    return [...first, ...(await askSlice(slice.slice(middle)))];
  }

  const lanes = Array.from({ length: Math.min(SLICES_AT_ONCE, slices.length) }, askWaiting);
  await Promise.all(lanes).catch((error) => {
    failed = true;
    throw error;
  });
  return answers.flat();
}

function fits({ sql, params }: ParameterizedQuery): boolean {
  const values = Object.values(params);
  if (values.length > MAX_PARAMETERS) return false;
  const text = JSON.stringify(values, (_, value) => (typeof value === 'bigint' ? String(value) : value));
  return Buffer.byteLength(sql) + Buffer.byteLength(text) <= MAX_BYTES;
}
