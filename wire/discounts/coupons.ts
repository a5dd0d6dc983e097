import { z } from '@hono/zod-openapi';
import type { AppliesTo, Coupon, RedeemBy } from '../../billing/discounts/coupons.ts';
import { LINE_TYPES } from '../../billing/invoices/invoice.ts';
import { isFields } from '../../core/fields.ts';
import { isoFromInstant } from '../../core/instants.ts';
import { momentInput } from '../moments.ts';
import {
  currencyCodeInput,
  decimalInput,
  decimalWire,
  instantWire,
  integerInput,
  orNull,
  textInput,
} from '../primitives.ts';

const DURATIONS = ['once', 'repeating', 'forever'] as const;
export const COUPON_STATUSES = ['active', 'archived'] as const;
const DISCOUNTED_TYPES = LINE_TYPES.filter((type) => type !== 'discount' && type !== 'credit');
const MOST = 2_147_483_647;

const TEXTS = {
  name: 'What lines of invoices call it.',
  percent: 'Percentage that is taken off: above 0, to 100.',
  amount: 'Amount that is taken off each invoice at most, in major units of currency.',
  duration: 'once: one invoice; repeating: duration_in_periods of them; forever: all.',
  periods: 'How many invoices it lowers, with duration repeating.',
  code: 'What customers type in: 3 to 64 of A-Z, 0-9, - and _, in any case; one of its kind among active coupons.',
  max: 'How often it may be redeemed in all; null: without end.',
  by: "Until when it may be redeemed: a date, the last day in the customer's time zone, or a date-time; null: without end.",
};

function listOf<T extends z.ZodType>(item: T, description: string, example: string[]) {
  return z.array(item).min(1, 'Must have at least one.').max(200).nullish().openapi({ description, example });
}

const appliesToInput = z.strictObject({
  plan_ids: listOf(textInput, 'Only lines of these plans; subscriptions to others do not redeem it.', [
    'plan_01jd3k9x',
  ]),
  metric_ids: listOf(textInput, 'Only lines of these metrics.', ['metric_01jd3k9x']),
  line_types: listOf(
    z.enum(DISCOUNTED_TYPES, `Must be one of ${DISCOUNTED_TYPES.join(', ')}.`),
    'Only lines of these types.',
    ['recurring_fee'],
  ),
});

const changeable = {
  name: textInput.openapi({ description: TEXTS.name, example: 'Launch offer' }),
  max_redemptions: orNull(integerInput(1, MOST)).openapi({ description: TEXTS.max, example: 100 }),
  redeem_by: momentInput.nullable().openapi({ type: ['string', 'null'], description: TEXTS.by, example: '2027-01-31' }),
};

/** Body of POST /api/coupons (spec/discounts#coupons). */
export const couponCreate = z
  .strictObject({
    ...changeable,
    percent_off: orNull(decimalInput.refine((off) => off.gt(0) && off.lte(100), 'Must be above 0, to 100.'))
      .optional()
      .openapi({ description: TEXTS.percent, example: 15 }),
    amount_off: orNull(decimalInput.refine((off) => off.gt(0), 'Must be greater than 0.'))
      .optional()
      .openapi({ description: TEXTS.amount, example: null }),
    currency: currencyCodeInput
      .nullish()
      .openapi({ type: ['string', 'null'], description: 'ISO 4217 code of amount_off.', example: null }),
    duration: z
      .enum(DURATIONS, {
        error: ({ input }) => (input === undefined ? undefined : `Must be one of ${DURATIONS.join(', ')}.`),
      })
      .openapi({ description: TEXTS.duration, example: 'repeating' }),
    duration_in_periods: orNull(integerInput(1, MOST)).optional().openapi({ description: TEXTS.periods, example: 3 }),
    code: z
      .string()
      .regex(/^[A-Za-z0-9_-]{3,64}$/, 'Must be 3 to 64 of A-Z, 0-9, - and _.')
      .nullish()
      .openapi({ description: TEXTS.code, example: 'LAUNCH-15' }),
    max_redemptions: changeable.max_redemptions.optional().openapi({ description: TEXTS.max, example: 100 }),
    redeem_by: changeable.redeem_by
      .optional()
      .openapi({ type: ['string', 'null'], description: TEXTS.by, example: '2027-01-31' }),
    applies_to: appliesToInput.nullish().openapi({
      description: 'Which lines it is for: those that fit every list; left out: all of its subscription.',
      example: { line_types: ['recurring_fee'] },
    }),
  })
  .superRefine(checkCoupon, { when: ({ value }) => isFields(value) })
  .openapi({ example: { name: 'Launch offer', percent_off: 15, duration: 'repeating', duration_in_periods: 3 } });
export type CouponCreate = z.output<typeof couponCreate>;

type CouponShape = { [Name in 'percent_off' | 'amount_off' | 'currency' | 'duration_in_periods']?: unknown } & {
  duration?: unknown;
};

/** What must hold between the fields of a coupon; every violation is a field error of its own. */
function checkCoupon(coupon: CouponShape, context: z.RefinementCtx): void {
  const refuse = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message });
  const { percent_off, amount_off, currency, duration, duration_in_periods } = coupon;
  if (isSet(percent_off) === isSet(amount_off))
    refuse('percent_off', 'Send either percent_off, or amount_off with currency.');
  if (isSet(amount_off) && !isSet(currency)) refuse('currency', 'Is required with amount_off.');
  if (!isSet(amount_off) && isSet(currency)) refuse('currency', 'Is only for amount_off.');
  if (duration === 'repeating' && !isSet(duration_in_periods)) {
    refuse('duration_in_periods', 'Is required for repeating.');
  }
  if (duration !== 'repeating' && isSet(duration_in_periods)) refuse('duration_in_periods', 'Is only for repeating.');
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Body of PATCH /api/coupons/<id>; what it takes off is what it is, and stays. */
export const couponUpdate = z
  .strictObject(changeable)
  .partial()
  .openapi({ example: { max_redemptions: 200 } });
export type CouponUpdate = z.output<typeof couponUpdate>;

/** `{coupon_id}` in a path. */
export const couponPath = z.object({
  coupon_id: z.string().openapi({ description: 'Id of a coupon.', example: 'coupon_01jd3k9x' }),
});

const idsWire = (description: string, example: string[]) =>
  z.array(z.string()).nullable().openapi({ description, example });

export const couponWire = z
  .object({
    coupon_id: z.string().openapi({ description: 'Id of a coupon.', example: 'coupon_01jd3k9x' }),
    name: z.string().openapi({ description: TEXTS.name, example: 'Launch offer' }),
    percent_off: orNull(decimalWire).openapi({ description: TEXTS.percent, example: 15 }),
    amount_off: orNull(decimalWire).openapi({ description: TEXTS.amount, example: null }),
    currency: z
      .string()
      .nullable()
      .openapi({ description: 'ISO 4217 code of amount_off, in lower case; null with percent_off.', example: null }),
    duration: z.enum(DURATIONS).openapi({ description: TEXTS.duration, example: 'repeating' }),
    duration_in_periods: z.int().nullable().openapi({ description: TEXTS.periods, example: 3 }),
    code: z.string().nullable().openapi({ description: TEXTS.code, example: 'LAUNCH-15' }),
    max_redemptions: z.int().nullable().openapi({ description: TEXTS.max, example: 100 }),
    redeem_by: z.string().nullable().openapi({ description: TEXTS.by, example: '2027-01-31' }),
    applies_to: z
      .object({
        plan_ids: idsWire('Only lines of these plans; null: of any.', ['plan_01jd3k9x']),
        metric_ids: idsWire('Only lines of these metrics; null: of any.', ['metric_01jd3k9x']),
        line_types: z
          .array(z.enum(DISCOUNTED_TYPES))
          .nullable()
          .openapi({ description: 'Only lines of these types; null: of any.', example: ['recurring_fee'] }),
      })
      .nullable()
      .openapi({ description: 'Which lines it is for; null: all of its subscription.' }),
    times_redeemed: z.int().openapi({ description: 'How often it has been redeemed.', example: 4 }),
    status: z.enum(COUPON_STATUSES).openapi({
      description: "archived: it can't be redeemed any more; what was redeemed goes on.",
      example: 'active',
    }),
    created_at: instantWire.openapi({ description: 'When the coupon was made.' }),
  })
  .openapi('Coupon');

/** The coupon as the API returns it. Its currency is the lower-case code (spec/api#currencies). */
export function couponToWire(coupon: Coupon): z.infer<typeof couponWire> {
  return {
    coupon_id: coupon.couponId,
    name: coupon.name,
    percent_off: coupon.percentOff,
    amount_off: coupon.amountOff,
    currency: coupon.currency?.toLowerCase() ?? null,
    duration: coupon.duration,
    duration_in_periods: coupon.durationInPeriods,
    code: coupon.code,
    max_redemptions: coupon.maxRedemptions,
    redeem_by: redeemByToWire(coupon.redeemBy),
    applies_to: appliesToToWire(coupon.appliesTo),
    times_redeemed: coupon.timesRedeemed,
    status: coupon.status,
    created_at: isoFromInstant(coupon.createdAt),
  };
}

function redeemByToWire(redeemBy: RedeemBy | null): string | null {
  if (redeemBy === null) return null;
  return 'date' in redeemBy ? redeemBy.date : isoFromInstant(redeemBy.instant);
}

function appliesToToWire(appliesTo: AppliesTo | null) {
  if (appliesTo === null) return null;
  const { planIds, metricIds, lineTypes } = appliesTo;
  const types = lineTypes && DISCOUNTED_TYPES.filter((type) => lineTypes.includes(type));
  return { plan_ids: planIds && [...planIds], metric_ids: metricIds && [...metricIds], line_types: types };
}
