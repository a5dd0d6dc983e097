import { typeid } from 'typeid-js';

/** Prefixes of the ids that the service makes (spec/api#ids). */
const ID_PREFIXES = [
  'acct',
  'key',
  'metric',
  'plan',
  'planv',
  'addon',
  'addonsub',
  'comp',
  'feat',
  'price',
  'sub',
  'inv',
  'line',
  'credit',
  'coupon',
  'disc',
  'refund',
  'pay',
  'wh',
  'whd',
  'evt',
  'clock',
  'sess',
  'audit',
  'linkt',
  'req',
  'ltx',
] as const;

/** The prefix of an id that the service makes. */
export type IdPrefix = (typeof ID_PREFIXES)[number];

const OF_AN_ID = new RegExp(`^(?:${ID_PREFIXES.join('|')})_([0-9a-z]{26})$`);

/** Of ids that this process makes, whether `id` was made after `earlier`; false for what is no id of ours. */
export function isNewId(id: string, earlier: string): boolean {
  const madeAt = (text: string) => OF_AN_ID.exec(text)?.[1];
  const [ours, theirs] = [madeAt(id), madeAt(earlier)];
  return ours !== undefined && theirs !== undefined && ours > theirs;
}

/** A new id: prefix and a time-ordered random part (UUIDv7 in base 32), e.g. `sub_01jd...` (spec/api#ids). */
export function newId(prefix: IdPrefix): string {
  return typeid(prefix).toString();
}
