import { now } from './clock.ts';

/** Milliseconds that an answer asks to wait by `Retry-After`, seconds or a date; 0 where it asks for none. */
export function retryAfterMs(headers: Headers): number {
  const value = headers.get('Retry-After')?.trim() ?? '';
  if (/^\d+$/.test(value)) return Number(value) * 1_000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? 0 : Math.max(0, date - now());
}
