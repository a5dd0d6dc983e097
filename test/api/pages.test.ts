import { describe, expect, test } from 'vitest';
import { pageQuery, toPage, windowOf } from '../../api/pages.ts';
import { HttpError } from '../../runtime/http/errors.ts';
import { COUNT_CAP, pageOf } from '../../sql/postgres/page-window.ts';

const url = new URL('https://billing.example/api/customers/?page=2&page_size=2&status=a%20b');

/** Page `page` of a list of `rows` numbers, by two; `wasCounted`: whether its rows had to be counted. */
async function pageOfList(rows: number, page: number) {
  const window = windowOf({ page, page_size: 2 });
  const found = Array.from({ length: Math.min(3, Math.max(0, rows - window.offset)) }, (_, i) => window.offset + i);
  let wasCounted = false;
  const counted = await pageOf(found, window, async () => {
    wasCounted = true;
    return Math.min(rows, COUNT_CAP + 1);
  });
  return { ...toPage(url, { page, page_size: 2 }, counted, (n) => n), wasCounted };
}

describe('pages (spec/api#lists)', () => {
  test('50 to a page, from page 1', () => {
    expect(pageQuery.parse({})).toEqual({ page: 1, page_size: 50 });
    expect(windowOf({ page: 1, page_size: 50 })).toEqual({ limit: 50, offset: 0 });
    expect(windowOf({ page: 3, page_size: 20 })).toEqual({ limit: 20, offset: 40 });
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
    expect(await pageOfList(5, 2)).toEqual({
      count: 5,
      results: [2, 3],
      next: 'https://billing.example/api/customers/?page=3&page_size=2&status=a+b',
      previous: 'https://billing.example/api/customers/?page=1&page_size=2&status=a+b',
      wasCounted: true,
    });
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
});
