import { describe, expect, test } from 'vitest';
import { listingOf, pageQuery } from '../../api/pages.ts';
import { HttpError } from '../../runtime/http/errors.ts';
import {
  COUNT_CAP,
  fixedRoom,
  type PageWindow,
  type Place,
  pageOf,
  pageOfAll,
} from '../../sql/postgres/page-window.ts';

const LIST = 'https://billing.example/api/customers/';
const FILTERS = 'page_size=2&status=a%20b';

/** Rows of a list of `rows` numbers that a window has; `wasCounted`: whether its rows had to be counted. */
async function pageOfNumbers(rows: number, window: PageWindow) {
  const from = window.after ? Number(window.after[0]) + 1 : window.offset;
  const results = Array.from({ length: Math.min(window.limit, Math.max(0, rows - from)) }, (_, i) => from + i);
  const places = results.map((n): Place => [String(n)]);
  let wasCounted = false;
  const page = await pageOf({ results, places, isMore: from + results.length < rows }, window, async () => {
    wasCounted = true;
    return Math.min(rows, COUNT_CAP + 1);
  });
  return { page, wasCounted };
}

/** The answer to a call of this address, for a list of `rows` numbers. */
async function answerTo(address: string, rows: number) {
  const url = new URL(address);
  const listing = listingOf(url, pageQuery.parse(Object.fromEntries(url.searchParams)));
  const { page, wasCounted } = await pageOfNumbers(rows, listing.window);
  const { results, ...answer } = listing.answer(page, (n) => n);
  return { ...answer, results: results.map(({ text }) => Number(text)), wasCounted };
}

const pageOfList = (rows: number, page: number) => answerTo(`${LIST}?page=${page}&${FILTERS}`, rows);
const pathOf = (address: string | null) => address?.replace(/after=[\w-]+/, 'after=*');

describe('pages (spec/api#lists)', () => {
  test('50 to a page, from page 1', () => {
    const windowOf = (query: string) =>
      listingOf(new URL(LIST), pageQuery.parse(Object.fromEntries(new URLSearchParams(query)))).window;
    expect(windowOf('')).toMatchObject({ limit: 50, offset: 0, room: { bytes: 8 * 2 ** 20 } });
    expect(windowOf('page=3&page_size=20')).toMatchObject({ limit: 20, offset: 40 });
  });

  test.each(['0', '-1', '1.5', 'x', '', '1e3', ' 1', '9999999999'])('page %j is 400', (page) => {
    expect(() => pageQuery.parse({ page })).toThrow(HttpError);
  });

  test.each(['0', '201', 'x', ''])('page_size %j is 400', (page_size) => {
    expect(() => pageQuery.parse({ page_size })).toThrow(HttpError);
  });

  test('page_size goes up to 200', () => {
    expect(pageQuery.parse({ page_size: '200' }).page_size).toBe(200);
  });

  test('next and previous are absolute and keep the other parameters', async () => {
    const { next, ...answer } = await pageOfList(5, 2);
    expect(answer).toEqual({
      count: 5,
      results: [2, 3],
      previous: 'https://billing.example/api/customers/?page=1&page_size=2&status=a+b',
      wasCounted: true,
    });
    expect(pathOf(next)).toBe('https://billing.example/api/customers/?page=3&page_size=2&status=a+b&after=*');
  });

  test('the first page has no previous, the last one no next; a page that ends the list tells how long it is', async () => {
    const whole = { count: 2, next: null, previous: null, results: [0, 1], wasCounted: false };
    expect(await pageOfList(2, 1)).toEqual(whole);
    expect(await pageOfList(5, 3)).toMatchObject({ count: 5, next: null, results: [4], wasCounted: false });
  });

  test('page 1 of an empty list exists, page 2 does not', async () => {
    expect(await pageOfList(0, 1)).toMatchObject({ count: 0, results: [] });
    await expect(pageOfList(0, 2)).rejects.toMatchObject({ status: 404 });
  });

  test('a page past the end is 404, and says which is the last one', async () => {
    const error = { status: 404, message: 'There is no page 4; the last one is 3.' };
    await expect(pageOfList(5, 4)).rejects.toMatchObject(error);
  });

  test('count is exact up to the cap; above, it is the cap and says so, and the pages go on', async () => {
    const atCap = await pageOfList(COUNT_CAP, 1);
    expect(atCap.count).toBe(COUNT_CAP);
    expect(atCap).not.toHaveProperty('count_is_capped');
    const above = { count: COUNT_CAP, count_is_capped: true };
    expect(await pageOfList(COUNT_CAP + 1, 1)).toMatchObject(above);
    expect(await pageOfList(COUNT_CAP + 1, COUNT_CAP / 2)).toMatchObject({ ...above, results: [9998, 9999] });
    const last = await pageOfList(COUNT_CAP + 1, COUNT_CAP / 2 + 1);
    expect(last).toMatchObject({ ...above, results: [COUNT_CAP], next: null, wasCounted: false });
    await expect(pageOfList(COUNT_CAP + 1, COUNT_CAP)).rejects.toMatchObject({
      status: 404,
      message: `There is no page ${COUNT_CAP}; follow next until it is null.`,
    });
  });

  test('next goes on behind the last row, whatever has been made or taken away before it', async () => {
    const first = await pageOfList(5, 1);
    const second = await answerTo(first.next ?? '', 5);
    expect(second).toMatchObject({ results: [2, 3], count: 5, wasCounted: true });
    expect(second.previous).toBe(`${LIST}?page=1&page_size=2&status=a+b`);
    const last = await answerTo(second.next ?? '', 5);
    expect(last).toMatchObject({ results: [4], next: null, previous: `${LIST}?page=2&page_size=2&status=a+b` });
    expect(await answerTo(second.next ?? '', 4)).toMatchObject({ results: [], count: 4, next: null });
  });

  test('after alone has no number and no previous; page_size may change', async () => {
    const after = new URL((await pageOfList(9, 1)).next ?? '').searchParams.get('after');
    const second = await answerTo(`${LIST}?page_size=3&status=a%20b&after=${after}`, 9);
    expect(second).toMatchObject({ results: [2, 3, 4], previous: null });
    expect(pathOf(second.next)).toBe(`${LIST}?page_size=3&status=a+b&after=*`);
  });

  test('after that is broken, or of another list, sort or filter, is 422', async () => {
    const next = new URL((await pageOfList(9, 1)).next ?? '');
    const after = next.searchParams.get('after') ?? '';
    const other = Buffer.from(JSON.stringify(['x', '3'])).toString('base64url');
    const refused = [
      `${LIST}?${FILTERS}&after=`,
      `${LIST}?${FILTERS}&after=%00`,
      `${LIST}?${FILTERS}&after=${other}`,
      `${LIST}?${FILTERS}&after=${after.slice(0, -2)}`,
      `${LIST}?page_size=2&after=${after}`,
      `${LIST}?${FILTERS}&sort=-x&after=${after}`,
      `https://billing.example/api/plans?${FILTERS}&after=${after}`,
    ];
    for (const address of refused) {
      await expect(answerTo(address, 9), address).rejects.toThrow(/^after: Is no place of this list/);
    }
  });

  test('a page ends before the record that would bring the answer above its bytes; it has one at least', () => {
    const url = new URL(LIST);
    const listing = listingOf(url, {}, fixedRoom(100_000));
    const records = [30, 30, 30, 30, 90].map((kilobytes, n) => ({ n, text: 'x'.repeat(kilobytes * 1_000) }));
    const page = {
      results: records,
      places: records.map(({ n }): Place => [String(n)]),
      count: 5,
      isCapped: false,
      hasNext: false,
    };
    const answer = listing.answer(page, (record) => record);
    expect(answer.results).toHaveLength(2);
    expect(
      listingOf(new URL(answer.next ?? ''), { after: new URL(answer.next ?? '').searchParams.get('after') ?? '' })
        .window.after,
    ).toEqual(['1']);
    const [large] = records.slice(-1);
    const single = listing.answer(
      { ...page, results: [{ ...large, list: Array(50).fill('y'.repeat(1_000)) }] },
      (record) => record,
    );
    expect(single.results[0]?.text).toContain('"list":null,"list_count":50');
  });

  test('of a list in memory: where the row of a place has gone, what came behind it follows', () => {
    const placeOf = (text: string) => text;
    const first = pageOfAll(['a', 'b', 'c', 'd'], placeOf, { limit: 2, offset: 0 });
    expect(first).toMatchObject({ results: ['a', 'b'], count: 4, hasNext: true });
    const after = first.places[1];
    expect(pageOfAll(['a', 'b', 'c', 'd'], placeOf, { limit: 2, offset: 0, after }).results).toEqual(['c', 'd']);
    expect(pageOfAll(['a', 'c', 'd'], placeOf, { limit: 2, offset: 0, after }).results).toEqual(['c', 'd']);
    expect(pageOfAll(['x', 'a', 'b', 'c'], placeOf, { limit: 2, offset: 0, after }).results).toEqual(['c']);
    expect(() => pageOfAll(['a'], placeOf, { limit: 2, offset: 0, after: ['a', 'x'] })).toThrow();
  });
});
