import type { MeterbookClient } from './client.ts';
import type { paths } from './generated/api.ts';

type Page<P extends keyof paths> = paths[P] extends {
  get: {
    responses: { 200: { content: { 'application/json': infer Body extends { results: unknown[]; next: unknown } } } };
  };
}
  ? Body
  : never;

/** A path that answers a list, page by page. */
export type ListPath = { [P in keyof paths]: [Page<P>] extends [never] ? never : P }[keyof paths];

/** A record of the list that a path answers. */
export type ListItem<P extends ListPath> = Page<P>['results'][number];

type Parameters<P extends ListPath> = paths[P] extends { get: { parameters: infer Given } } ? Given : never;
type Without<T, K extends string> = { [Key in keyof T as Key extends K ? never : Key]: T[Key] };
type ListParams<P extends ListPath> = {
  [Part in keyof Parameters<P> as Part extends 'query' | 'path' ? Part : never]: Part extends 'query'
    ? Without<NonNullable<Parameters<P>[Part]>, 'page' | 'after'>
    : Parameters<P>[Part];
};

/** Filters and ids of a list, as a call's. `signal` ends the loop. */
export type ListInit<P extends ListPath> = { params?: ListParams<P>; signal?: AbortSignal };

/** A call that was refused: `error` is its answer's body. */
export class ListError extends Error {
  override readonly name = 'ListError';
  readonly status: number;
  readonly error: unknown;

  constructor(path: string, status: number, error: unknown) {
    super(`GET ${path} answered ${status}: ${JSON.stringify(error)}`);
    this.status = status;
    this.error = error;
  }
}

/** How a page is asked for, whatever the list. */
type AskPage = (
  path: string,
  init: { params: { path?: unknown; query: Record<string, unknown> }; signal?: AbortSignal },
) => Promise<{ data?: { results: unknown[]; next: string | null }; error?: unknown; response: Response }>;

/**
 * Every record of a list, a page at a time as they are taken: `for await (const plan of paginate(client, '/api/plans'))`. Each page begins behind
 * the last record of the page before, so records that leave the list meanwhile make it skip none.
 * @throws ListError where a page is refused
 */
export async function* paginate<P extends ListPath>(
  client: MeterbookClient,
  path: P,
  init: ListInit<P> = {},
): AsyncGenerator<ListItem<P>, void, undefined> {
  const ask = client.GET as AskPage;
  const { params = {}, signal } = init;
  const { path: ids, query } = params as { path?: unknown; query?: Record<string, unknown> };
  let after: string | null = null;
  do {
    const asked = { ...(ids !== undefined && { path: ids }), query: { ...query, ...(after !== null && { after }) } };
    const { data, error, response } = await ask(path, { params: asked, ...(signal && { signal }) });
    if (!data) throw new ListError(path, response.status, error);
    yield* data.results as ListItem<P>[];
    after = data.next === null ? null : new URL(data.next).searchParams.get('after');
  } while (after !== null);
}
