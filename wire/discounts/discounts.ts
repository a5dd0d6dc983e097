import { z } from '@hono/zod-openapi';
import type { Discount } from '../../billing/discounts/discounts.ts';
import { isFields } from '../../core/fields.ts';
import { isoFromInstant } from '../../core/instants.ts';
import { instantWire, textInput } from '../primitives.ts';
import { subscriptionPath } from '../subscriptions.ts';

/** Body of POST /api/subscriptions/<id>/discounts (spec/discounts#redemption): which coupon, by its id or its code. */
export const discountCreate = z
  .strictObject({
    coupon_id: textInput.optional().openapi({ description: 'The coupon; or send code.', example: 'coupon_01jd3k9x' }),
    code: textInput
      .optional()
      .openapi({ description: 'The code of an active coupon, in any case.', example: 'LAUNCH-15' }),
  })
  .superRefine(
    ({ coupon_id, code }, context) => {
      if ((coupon_id === undefined) !== (code === undefined)) return;
      context.addIssue({ code: 'custom', path: ['coupon_id'], message: 'Send either coupon_id or code.' });
    },
    { when: ({ value }) => isFields(value) },
  )
  .openapi({ example: { code: 'LAUNCH-15' } });
export type DiscountCreate = z.output<typeof discountCreate>;

/** `{subscription_id}` and `{discount_id}` in a path. */
export const discountPath = subscriptionPath.extend({
  discount_id: z.string().openapi({ description: 'Id of a discount.', example: 'disc_01jd3k9x' }),
});

export const discountWire = z
  .object({
    discount_id: z.string().openapi({ description: 'Id of a discount.', example: 'disc_01jd3k9x' }),
    coupon_id: z.string().openapi({ description: 'The coupon that was redeemed.', example: 'coupon_01jd3k9x' }),
    subscription_id: z.string().openapi({
      description: 'The subscription that has it; a switch takes it along.',
      example: 'sub_01jd3k9x',
    }),
    status: z.enum(['active', 'ended', 'removed']).openapi({
      description: 'ended: its periods are used; removed: by a call.',
      example: 'active',
    }),
    periods_used: z.int().openapi({ description: 'How many invoices it has lowered.', example: 1 }),
    periods_remaining: z
      .int()
      .nullable()
      .openapi({ description: 'How many it has left; null: without end.', example: 2 }),
    created_at: instantWire.openapi({
      description: 'When it was redeemed; in clock time for customers on a test clock.',
    }),
  })
  .openapi('Discount');

/** The discount as the API returns it. */
export function discountToWire(discount: Discount): z.infer<typeof discountWire> {
  return {
    discount_id: discount.discountId,
    coupon_id: discount.couponId,
    subscription_id: discount.subscriptionId,
    status: discount.status,
    periods_used: discount.periodsUsed,
    periods_remaining: discount.periodsRemaining,
    created_at: isoFromInstant(discount.createdAt),
  };
}
