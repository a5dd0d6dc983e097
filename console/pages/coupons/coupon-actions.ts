import type { Action } from '../../actions/action.ts';
import type { AnswerOf } from '../../api/client.ts';

export type Coupon = AnswerOf<'/api/coupons/{coupon_id}'>;

const LINE_TYPES = ['recurring_fee', 'prepaid_units', 'usage', 'addon', 'proration', 'late_usage', 'true_up'];
const MAX_REDEMPTIONS = { name: 'max_redemptions', kind: 'number', placeholder: 'No end' } as const;
const REDEEM_BY = { name: 'redeem_by', kind: 'date' } as const;

export const NEW_COUPON: Action = {
  name: 'New coupon',
  about: 'Takes off either a percentage, or an amount of a currency.',
  call: { method: 'post', to: '/api/coupons' },
  fields: [
    { name: 'name', isRequired: true, help: 'What lines of invoices call it.' },
    { name: 'percent_off', kind: 'number' },
    { name: 'amount_off', kind: 'number' },
    { name: 'currency', help: 'Of the amount.' },
    { name: 'duration', kind: 'choice', options: ['once', 'repeating', 'forever'], isRequired: true },
    { name: 'duration_in_periods', kind: 'number', help: 'Where it is repeating: how many invoices it lowers.' },
    { name: 'code', help: 'What customers type in.' },
    MAX_REDEMPTIONS,
    REDEEM_BY,
    { name: 'applies_to.line_types', kind: 'choices', options: LINE_TYPES, help: 'Any, where none is chosen.' },
  ],
};

export function couponActions({ coupon_id, name, max_redemptions, redeem_by, status }: Coupon): Action[] {
  if (status !== 'active') return [];
  const path = { coupon_id };
  return [
    {
      name: 'Edit',
      about: 'What it takes off stays what it is.',
      call: { method: 'patch', to: '/api/coupons/{coupon_id}', path },
      fields: [
        { name: 'name', initial: name },
        { ...MAX_REDEMPTIONS, ...(max_redemptions !== null && { initial: String(max_redemptions) }) },
        { ...REDEEM_BY, ...(redeem_by !== null && { initial: redeem_by.slice(0, 10) }) },
      ],
    },
    {
      name: 'Archive coupon',
      about: 'It can no longer be redeemed; subscriptions that have redeemed it keep it.',
      call: { method: 'post', to: '/api/coupons/{coupon_id}/archive', path },
      isFinal: true,
    },
  ];
}
