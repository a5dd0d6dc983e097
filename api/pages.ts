import { z } from '@hono/zod-openapi';
import { JsonText, MOST_LISTED, stringifyWithin } from '../runtime/exact-json.ts';
import { HttpError } from '../runtime/http/errors.ts';
import {
  type AnswerRoom,
  COUNT_CAP,
  fixedRoom,
  type ListSort,
  type ListSorts,
  type PageOf,
  type PageWindow,
  type Place,
  wrongPlace,
} from '../sql/postgres/page-window.ts';
import { placeFromToken, tokenOfPlace } from './place-tokens.ts';

const DEFAULT_PAGE_SIZE = 50;
const MAX_PAGE_SIZE = 200;

/** A page number or size: bad ones are 400, unlike other query parameters (spec/api#lists). */
function pageNumber(name: string, max: number, byDefault: number) {
  return z
    .string()
    .transform((text): number => {
      const value = /^\d{1,9}$/.test(text) ? Number(text) : 0;
      if (value >= 1 && value <= max) return value;
      throw new HttpError(400, `${name} must be an integer from 1 to ${max}.`);
    })
    .optional()
    .openapi({ param: { name, in: 'query' }, type: 'integer', minimum: 1, maximum: max, default: byDefault });
}

/** The query parameters of every list (spec/api#lists); extend it with a list's filters. */
export const pageQuery = z.object({
  page: pageNumber('page', 999_999_999, 1).openapi({ description: 'Number of the page, from 1.', example: 1 }),
  page_size: pageNumber('page_size', MAX_PAGE_SIZE, DEFAULT_PAGE_SIZE).openapi({
    description: 'The most records of a page, 1 to 200.',
    example: 50,
  }),
  after: z.string().optional().openapi({
    description:
      'Where the page begins: behind the last record of the page whose `next` carries it. It belongs to one list with its sort and filters.',
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

/** What a call says about the page that it wants. */
export type PageQuery = z.output<typeof pageQuery>;

/** How the call of a list reads its page and answers it. */
export type Listing = {
  /** Which rows are read. */
  window: PageWindow;
  /**
   * The envelope of one page; `next` and `previous` are absolute and keep the other parameters (spec/api#lists).
   * @throws HttpError 404 for a page past the end
   */
  answer<T, W>(page: PageOf<T>, toWire: (item: T) => W): Envelope<JsonText>;
};

type Envelope<W> = {
  count: number;
  count_is_capped?: true;
  next: string | null;
  previous: string | null;
  results: W[];
};

/** The listing of a call to `url`, for a query that {@link pageQuery} has checked. @throws DomainError `invalid` for a broken `after` */
export function listingOf(url: URL, query: PageQuery, room = fixedRoom()): Listing {
  const { page: number = 1, page_size: limit = DEFAULT_PAGE_SIZE } = query;
  const after = query.after === undefined ? undefined : placeFromToken(url, query.after);
  if (after === null) throw wrongPlace();
  const window = { limit, offset: (number - 1) * limit, after, room };
  return { window, answer: (page, toWire) => toPage(url, query, withinBytes(page, toWire, room)) };
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

/** What an envelope takes besides its records. */
const ENVELOPE_BYTES = 16 * 1024;

/** The page as texts, which ends before the record that would not fit into the answer. */
function withinBytes<T>(page: PageOf<T>, toWire: (item: T) => unknown, room: AnswerRoom): PageOf<JsonText> {
  const most = room.bytes - ENVELOPE_BYTES;
  const results: JsonText[] = [];
  let left = most;
  for (const item of page.results) {
    const text = stringifyWithin(toWire(item), most, MOST_LISTED);
    left -= Buffer.byteLength(text) + 1;
    if (left < 0) {
      room.needMore();
      if (results.length > 0) break;
    }
    results.push(new JsonText(text));
  }
  const isCut = results.length < page.results.length;
  return { ...page, results, places: page.places.slice(0, results.length), hasNext: page.hasNext || isCut };
}

function toPage<T>(url: URL, query: PageQuery, page: PageOf<T>): Envelope<T> {
  const { page: asked, page_size: limit = DEFAULT_PAGE_SIZE, after } = query;
  const number = asked ?? (after === undefined ? 1 : undefined);
  if (after === undefined && number !== undefined && number > 1 && page.results.length === 0) {
    throw new HttpError(404, noSuchPage(number, limit, page));
  }
  const last = page.places.at(-1);
  return {
    count: page.count,
    ...(page.isCapped && { count_is_capped: true as const }),
    next: page.hasNext && last ? linkTo(url, number && number + 1, last) : null,
    previous: number !== undefined && number > 1 ? linkTo(url, number - 1) : null,
    results: page.results,
  };
}

/** The address of another page of the same list. */
function linkTo(url: URL, number: number | undefined, after?: Place): string {
  const target = new URL(url);
  target.searchParams.delete('after');
  if (number !== undefined) target.searchParams.set('page', String(number));
  if (after) target.searchParams.set('after', tokenOfPlace(url, after));
  return target.href;
}

function noSuchPage(number: number, limit: number, { count, isCapped }: Pick<PageOf<unknown>, 'count' | 'isCapped'>) {
  const last = Math.max(1, Math.ceil(count / limit));
  const hint = isCapped ? 'follow next until it is null' : `the last one is ${last}`;
  return `There is no page ${number}; ${hint}.`;
}
