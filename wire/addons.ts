import { z } from '@hono/zod-openapi';
import type { Addon, AddonSubscription } from '../billing/catalog/addons.ts';
import { isoFromInstant } from '../core/instants.ts';
import { currencyCodeInput, decimalWire, instantWire, integerInput, textInput, unitPriceInput } from './primitives.ts';

const KINDS = ['one_time', 'recurring', 'quantity'] as const;

/** Body of POST /api/addons (spec/plans#add-ons). */
export const addonCreate = z.strictObject({
  name: textInput,
  kind: z.enum(KINDS),
  price: unitPriceInput,
  currency: currencyCodeInput.optional(),
});

/** Body of PATCH /api/addons/<id>: kind and currency are what it is, and stay. */
export const addonUpdate = z.strictObject({ name: textInput.optional(), price: unitPriceInput.optional() });

/** Body of POST /api/subscriptions/<id>/addons/attach (spec/plans#add-ons). */
export const addonAttach = z.strictObject({ addon_id: textInput, quantity: integerInput(1, 1_000_000_000).optional() });

/** Body of POST /api/subscriptions/<id>/addons/cancel. */
export const addonCancel = z.strictObject({ addon_id: textInput });

/** `{addon_id}` in a path. */
export const addonPath = z.object({ addon_id: z.string() });

export const addonWire = z
  .object({
    addon_id: z.string(),
    name: z.string(),
    kind: z.enum(KINDS),
    price: decimalWire,
    currency: z.string().openapi({ example: 'usd' }),
    status: z.enum(['active', 'archived']),
    created_at: instantWire,
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
    addon_subscription_id: z.string(),
    addon_id: z.string(),
    subscription_id: z.string(),
    quantity: z.int(),
    status: z.enum(['active', 'canceled']),
    attached_at: instantWire,
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
