import { z } from '@hono/zod-openapi';
import { HttpError } from '../runtime/http/errors.ts';
import { COUNT_CAP, type ListSort, type ListSorts, type PageOf, type PageWindow } from '../sql/postgres/page-window.ts';

const DEFAULT_PAGE_SIZE = 50;
const MAX_PAGE_SIZE = 200;

/** A page number or size: bad ones are 400, unlike other query parameters (spec/api#lists). */
function pageNumber(name: string, max: number, byDefault: number) {
  return z
    .string()
    .optional()
    .transform((text): number => {
      const value = text === undefined ? byDefault : /^\d{1,9}$/.test(text) ? Number(text) : 0;
      if (value >= 1 && value <= max) return value;
      throw new HttpError(400, `${name} must be an integer from 1 to ${max}.`);
    })
    .openapi({ param: { name, in: 'query' }, type: 'integer', minimum: 1, maximum: max, default: byDefault });
}

/** The query parameters of every list (spec/api#lists); extend it with a list's filters. */
export const pageQuery = z.object({
  page: pageNumber('page', 999_999_999, 1).openapi({ description: 'Page, from 1.', example: 1 }),
  page_size: pageNumber('page_size', MAX_PAGE_SIZE, DEFAULT_PAGE_SIZE).openapi({
    description: 'Records of a page, 1 to 200.',
    example: 50,
  }),
});

/** The query parameter `sort` of a list: one of its fields, lowest first, or highest first with `-` before it (spec/api#lists). */
export function sortQuery<Field extends string>(sorts: ListSorts<Field>) {
  const fields = Object.keys(sorts) as Field[];
  return z
    .enum(fields.flatMap((field): (Field | `-${Field}`)[] => [field, `-${field}`]))
    .transform((text): ListSort<Field> => {
      const descending = text.startsWith('-');
      return { field: (descending ? text.slice(1) : text) as Field, descending };
    })
    .optional()
    .openapi({ description: 'A field, lowest first; with - before it highest first. Without, newest first.' });
}

type PageQuery = z.output<typeof pageQuery>;

/** Which rows a page has, for a statement's LIMIT and OFFSET. */
export function windowOf(query: PageQuery): PageWindow {
  return { limit: query.page_size, offset: (query.page - 1) * query.page_size };
}

/** The envelope's shape around a resource. */
export function listOf<T extends z.ZodType>(resource: T) {
  return z.object({
    count: z.int().openapi({
      description: `How many records the list has in all; exact up to ${COUNT_CAP}, and ${COUNT_CAP} for any more.`,
      maximum: COUNT_CAP,
    }),
    count_is_capped: z
      .literal(true)
      .optional()
      .openapi({
        description: `Stands only where the list has more than ${COUNT_CAP} records; its pages go on until \`next\` is null.`,
      }),
    next: z.string().nullable().openapi({ description: 'URL of the next page; null on the last one.', example: null }),
    previous: z
      .string()
      .nullable()
      .openapi({ description: 'URL of the previous page; null on the first one.', example: null }),
    results: z.array(resource).openapi({ description: 'The page, newest first unless said otherwise.' }),
  });
}

/**
 * The envelope of one page; `next` and `previous` are absolute and keep the other parameters (spec/api#lists).
 * @throws HttpError 404 for a page past the end.
 */
export function toPage<T, W>(url: URL, query: PageQuery, page: PageOf<T>, toWire: (item: T) => W) {
  if (query.page > 1 && page.results.length === 0) throw new HttpError(404, noSuchPage(query, page));
  const link = (number: number) => {
    const target = new URL(url);
    target.searchParams.set('page', String(number));
    return target.href;
  };
  return {
    count: page.count,
    ...(page.isCapped && { count_is_capped: true as const }),
    next: page.hasNext ? link(query.page + 1) : null,
    previous: query.page > 1 ? link(query.page - 1) : null,
    results: page.results.map(toWire),
  };
}

function noSuchPage(query: PageQuery, { count, isCapped }: Pick<PageOf<unknown>, 'count' | 'isCapped'>): string {
  const last = Math.max(1, Math.ceil(count / query.page_size));
  const hint = isCapped ? 'follow next until it is null' : `the last one is ${last}`;
  return `There is no page ${query.page}; ${hint}.`;
}
