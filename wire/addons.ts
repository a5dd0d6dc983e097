import { z } from '@hono/zod-openapi';
import type { Addon, AddonSubscription } from '../billing/catalog/addons.ts';
import { isoFromInstant } from '../core/instants.ts';
import { currencyCodeInput, decimalWire, instantWire, integerInput, textInput, unitPriceInput } from './primitives.ts';

const KINDS = ['one_time', 'recurring', 'quantity'] as const;

/** Body of POST /api/addons (spec/plans#add-ons). */
export const addonCreate = z
  .strictObject({
    name: textInput.openapi({ description: 'Name of the add-on, as lines of invoices show it.', example: 'Seats' }),
    kind: z.enum(KINDS).openapi({
      description:
        'one_time: charged once, on the next invoice; recurring: every period; quantity: every period, for each unit attached.',
      example: 'quantity',
    }),
    price: unitPriceInput.openapi({
      description: 'Price in major units; of kind quantity the price of one.',
      example: 5,
    }),
    currency: currencyCodeInput
      .optional()
      .openapi({ description: "ISO 4217 code of the price; by default the account's currency.", example: 'usd' }),
  })
  .openapi({ example: { name: 'Seats', kind: 'quantity', price: 5 } });
export type AddonCreate = z.output<typeof addonCreate>;

/** Body of PATCH /api/addons/<id>: kind and currency are what it is, and stay. */
export const addonUpdate = z
  .strictObject({
    name: textInput
      .optional()
      .openapi({ description: 'Name of the add-on, as lines of invoices show it.', example: 'Seats' }),
    price: unitPriceInput.optional().openapi({ description: 'New price, for the invoices to come.', example: 6 }),
  })
  .openapi({ example: { price: 6 } });
export type AddonUpdate = z.output<typeof addonUpdate>;

/** Body of POST /api/subscriptions/<id>/addons/attach (spec/plans#add-ons). */
export const addonAttach = z
  .strictObject({
    addon_id: textInput.openapi({ description: 'The add-on to attach.', example: 'addon_01jd3k9x' }),
    quantity: integerInput(1, 1_000_000_000)
      .optional()
      .openapi({ description: 'How many, for an add-on of kind quantity.', example: 3 }),
  })
  .openapi({ example: { addon_id: 'addon_01jd3k9x', quantity: 3 } });
export type AddonAttach = z.output<typeof addonAttach>;

/** Body of POST /api/subscriptions/<id>/addons/cancel. */
export const addonCancel = z
  .strictObject({
    addon_id: textInput.openapi({ description: 'The add-on to cancel.', example: 'addon_01jd3k9x' }),
  })
  .openapi({ example: { addon_id: 'addon_01jd3k9x' } });
export type AddonCancel = z.output<typeof addonCancel>;

/** `{addon_id}` in a path. */
export const addonPath = z.object({
  addon_id: z.string().openapi({ description: 'Id of an add-on.', example: 'addon_01jd3k9x' }),
});

export const addonWire = z
  .object({
    addon_id: z.string().openapi({ description: 'Id of an add-on.', example: 'addon_01jd3k9x' }),
    name: z.string().openapi({ description: 'Name of the add-on, as lines of invoices show it.', example: 'Seats' }),
    kind: z.enum(KINDS).openapi({
      description:
        'one_time: charged once, on the next invoice; recurring: every period; quantity: every period, for each unit attached.',
      example: 'quantity',
    }),
    price: decimalWire.openapi({ description: 'Price in major units; of kind quantity the price of one.', example: 5 }),
    currency: z.string().openapi({ description: 'ISO 4217 code of the price, in lower case.', example: 'usd' }),
    status: z.enum(['active', 'archived']).openapi({
      description: "archived: it can't be attached any more; what is attached goes on.",
      example: 'active',
    }),
    created_at: instantWire.openapi({ description: 'When the add-on was made.' }),
  })
  .openapi('Addon');

/** The add-on as the API returns it. Its currency is the lower-case code (spec/api#currencies). */
export function addonToWire(addon: Addon): z.infer<typeof addonWire> {
  return {
    addon_id: addon.addonId,
    name: addon.name,
    kind: addon.kind,
    price: addon.price,
    currency: addon.currency.toLowerCase(),
    status: addon.status,
    created_at: isoFromInstant(addon.createdAt),
  };
}

export const addonSubscriptionWire = z
  .object({
    addon_subscription_id: z
      .string()
      .openapi({ description: 'Id of this attachment of an add-on to a subscription.', example: 'addonsub_01jd3k9x' }),
    addon_id: z.string().openapi({ description: 'The add-on that is attached.', example: 'addon_01jd3k9x' }),
    subscription_id: z
      .string()
      .openapi({ description: 'The subscription that it is attached to.', example: 'sub_01jd3k9x' }),
    quantity: z.int().openapi({ description: 'How many are charged.', example: 3 }),
    status: z
      .enum(['active', 'canceled'])
      .openapi({ description: 'canceled: it is not charged any more.', example: 'active' }),
    attached_at: instantWire.openapi({ description: 'When the add-on was attached.' }),
  })
  .openapi('AddonSubscription');

/** An add-on of a subscription as the API returns it. */
export function addonSubscriptionToWire(attached: AddonSubscription): z.infer<typeof addonSubscriptionWire> {
  return {
    addon_subscription_id: attached.addonSubscriptionId,
    addon_id: attached.addonId,
    subscription_id: attached.subscriptionId,
    quantity: attached.quantity,
    status: attached.status,
    attached_at: isoFromInstant(attached.attachedAt),
  };
}
