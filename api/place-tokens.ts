import { hash } from 'node:crypto';
import type { Place } from '../sql/postgres/page-window.ts';

/** Parameters that say which page is wanted, and not of which list. */
const OF_PAGE = new Set(['page', 'page_size', 'after']);

/** So many characters of a hash tell the lists of one account, and what was altered, apart. */
const CHECK_LENGTH = 16;

/** A place as the parameter `after` has it: text that only this list, with this sort and these filters, takes back. */
export function tokenOfPlace(url: URL, place: Place): string {
  return Buffer.from(JSON.stringify([checkOf(url, place), ...place])).toString('base64url');
}

/** The place of such a token; null for one that is broken or of another list. */
export function placeFromToken(url: URL, token: string): Place | null {
  const parts = partsOf(token);
  if (!parts) return null;
  const [check, ...place] = parts;
  return check === checkOf(url, place) ? place : null;
}

function partsOf(token: string): string[] | null {
  try {
    const parts: unknown = JSON.parse(Buffer.from(token, 'base64url').toString());
    return Array.isArray(parts) && parts.every((part) => typeof part === 'string') ? parts : null;
  } catch {
    return null;
  }
}

function checkOf(url: URL, place: Place): string {
  const filters = [...url.searchParams].filter(([name]) => !OF_PAGE.has(name)).sort(byNameAndValue);
  const list = url.pathname.replace(/(?<!\/)\/+$/, '');
  return hash('sha256', JSON.stringify([list, filters, place]), 'base64url').slice(0, CHECK_LENGTH);
}

function byNameAndValue(a: [string, string], b: [string, string]): number {
  const [first, second] = [JSON.stringify(a), JSON.stringify(b)];
  return first < second ? -1 : first > second ? 1 : 0;
}
