import createClient from 'openapi-fetch';
import type { paths } from '../generated/api.ts';
import { parseExact, stringifyExact } from './exact.ts';
import { failureOf, unanswered } from './failure.ts';

/** What each path answers to GET, in the words of the API's document. */
type Answers = {
  [P in keyof paths]: paths[P] extends { get: { responses: { 200: { content: { 'application/json': infer A } } } } }
    ? A
    : never;
};
type PathsWith<Key> = {
  [P in keyof Answers]: [Answers[P]] extends [never] ? never : Answers[P] extends Key ? P : never;
};

/** What a path answers to POST, where nothing is made by it. */
export type PostAnswerOf<P extends keyof paths> = paths[P] extends {
  post: { responses: { 200: { content: { 'application/json': infer A } } } };
}
  ? A
  : never;

/** A path that can be read. */
export type ReadPath = PathsWith<object>[keyof paths];
/** One that answers a page of records. */
export type ListPath = PathsWith<{ results: object[]; count: number }>[keyof paths];
export type AnswerOf<P extends ReadPath> = Answers[P];
export type RecordOf<P extends ListPath> = Answers[P] extends { results: (infer R extends object)[] } ? R : never;

export type Method = 'get' | 'post' | 'patch' | 'put' | 'delete';
/** Parameters as they stand in an address; the API says what is wrong with them. Empty ones are not sent. */
export type Query = Record<string, string | undefined>;
export type Parameters = { path?: Record<string, string>; query?: Query };

/** The call as the library takes it; what is typed is what comes of it. */
type Call = {
  parameters: { path?: Record<string, string>; query?: Query; header?: Record<string, string> };
  requestBody?: { content: { 'application/json': object } };
  responses: { 200: { content: { 'application/json': unknown } } };
};
type LooseCalls = Record<string, Record<Method, Call>>;

/** Its numbers keep their digits. */
class ExactResponse extends Response {
  override async json(): Promise<unknown> {
    return parseExact(await this.text());
  }
}

/** With its length, by which openapi-fetch leaves the parsing to the answer. */
async function fetchExactly(request: Request): Promise<Response> {
  const response = await fetch(request);
  if (!response.ok || !response.headers.get('Content-Type')?.startsWith('application/json')) return response;
  const text = await response.text();
  const headers = new Headers(response.headers);
  headers.set('Content-Length', String(text.length));
  return new ExactResponse(text, { status: response.status, headers });
}

const client = createClient<LooseCalls>({
  fetch: fetchExactly,
  bodySerializer: (body) => stringifyExact(body),
});

let csrfToken = '';

/**
 * Proves to the service that a call comes from its own page; the session says it. By it, too, the service refuses what a page of one
 * session asks after another window has logged in as somebody else: nothing is shown or changed that is another account's.
 */
export function sendCsrfToken(token: string): void {
  csrfToken = token;
}

/**
 * Reads a record or a page of a list.
 * @throws Failure for whatever is not a success.
 */
export async function read<P extends ReadPath>(path: P, parameters: Parameters = {}): Promise<AnswerOf<P>> {
  return (await call('get', path, parameters)) as AnswerOf<P>;
}

export type Write = Parameters & { method: Exclude<Method, 'get'>; to: keyof paths; body?: object };

/**
 * Sends a write. The same `idempotencyKey` again gives the first answer again: nothing is done twice.
 * @throws Failure for whatever is not a success.
 */
export async function write({ method, to, body, path, query }: Write, idempotencyKey?: string): Promise<unknown> {
  return call(method, to, { path, query }, { 'Idempotency-Key': idempotencyKey }, body);
}

type Headers = Record<string, string | undefined>;

async function call(
  method: Method,
  path: string,
  { path: ids, query }: Parameters,
  given: Headers = {},
  body?: object,
) {
  const filled = Object.fromEntries(Object.entries(query ?? {}).filter(([, value]) => value));
  const params = { path: ids ?? {}, query: filled };
  const headers = { ...given, ...(csrfToken && { 'X-CSRF-Token': csrfToken }) };
  const { data, error, response } = await client.request(method, path, { params, headers, body }).catch(() => {
    throw unanswered();
  });
  if (!response.ok) throw failureOf(response, error);
  return data;
}
