import { describe, expect, test } from 'vitest';
import { pageQuery, toPage, windowOf } from '../../api/pages.ts';
import { HttpError } from '../../runtime/http/errors.ts';

const url = new URL('https://billing.example/api/customers/?page=2&page_size=2&status=a%20b');
const same = (n: number) => n;

describe('pages (contract 1, lists)', () => {
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

  test('next and previous are absolute and keep the other parameters', () => {
    const page = toPage(url, { page: 2, page_size: 2 }, { count: 5, results: [3, 4] }, same);
    expect(page.count).toBe(5);
    expect(page.results).toEqual([3, 4]);
    expect(page.next).toBe('https://billing.example/api/customers/?page=3&page_size=2&status=a+b');
    expect(page.previous).toBe('https://billing.example/api/customers/?page=1&page_size=2&status=a+b');
  });

  test('the first page has no previous, the last one no next', () => {
    expect(toPage(url, { page: 1, page_size: 2 }, { count: 2, results: [1, 2] }, same)).toMatchObject({
      next: null,
      previous: null,
    });
  });

  test('page 1 of an empty list exists, page 2 does not', () => {
    expect(toPage(url, { page: 1, page_size: 2 }, { count: 0, results: [] as number[] }, same).count).toBe(0);
    expect(() => toPage(url, { page: 2, page_size: 2 }, { count: 0, results: [] as number[] }, same)).toThrow(
      expect.objectContaining({ status: 404 }),
    );
  });

  test('a page past the end is 404', () => {
    expect(() => toPage(url, { page: 4, page_size: 2 }, { count: 5, results: [] as number[] }, same)).toThrow(
      expect.objectContaining({ status: 404 }),
    );
  });
});
