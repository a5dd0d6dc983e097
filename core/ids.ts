import { typeid } from 'typeid-js';

/** Prefixes of the ids that the service makes (spec/api#ids). */
export type IdPrefix =
  | 'acct'
  | 'key'
  | 'metric'
  | 'plan'
  | 'planv'
  | 'addon'
  | 'addonsub'
  | 'comp'
  | 'feat'
  | 'sub'
  | 'inv'
  | 'line'
  | 'credit'
  | 'refund'
  | 'pay'
  | 'wh'
  | 'whd'
  | 'evt'
  | 'clock'
  | 'sess'
  | 'audit'
  | 'req'
  | 'ltx';

/** A new id: prefix and a time-ordered random part (UUIDv7 in base 32), e.g. `sub_01jd...` (spec/api#ids). */
export function newId(prefix: IdPrefix): string {
  return typeid(prefix).toString();
}
