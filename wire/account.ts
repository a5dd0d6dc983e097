import { z } from '@hono/zod-openapi';
import type { Account } from '../billing/accounts/account.ts';
import { currencyCodeInput, integerInput, textInput } from './primitives.ts';

const MODES = ['test', 'live'] as const;
const LATE_USAGE = ['next_invoice', 'ignore'] as const;

/** A period is at least 30 days; its closing waits for less than that. */
const MAX_GRACE_SECONDS = 29 * 86_400;

const retryDays = z
  .array(integerInput(1, 365))
  .max(20, 'Must have at most 20 days.')
  .refine((days) => days.every((day, i) => i === 0 || day > Number(days[i - 1])), 'Must be ascending.');

/** Body of PATCH /api/account: what it names is changed (spec/accounts#account). */
export const accountUpdate = z
  .strictObject({
    name: textInput,
    default_currency: currencyCodeInput,
    net_terms_days: integerInput(0, 3_650),
    invoice_grace_seconds: integerInput(0, MAX_GRACE_SECONDS),
    rate_limit: integerInput(1, 1_000_000).nullable(),
    payment_retry_days: retryDays,
    late_usage: z.enum(LATE_USAGE),
  })
  .partial();

export const accountWire = z
  .object({
    account_id: z.string(),
    name: z.string(),
    mode: z.enum(MODES),
    default_currency: z.string().openapi({ example: 'usd' }),
    net_terms_days: z.int(),
    invoice_grace_seconds: z.int(),
    rate_limit: z.int().nullable(),
    payment_retry_days: z.array(z.int()),
    late_usage: z.enum(LATE_USAGE),
  })
  .openapi('Account');

/** The account as the API returns it. Its currency is the lower-case code (spec/api#currencies). */
export function accountToWire(account: Account): z.infer<typeof accountWire> {
  return {
    account_id: account.accountId,
    name: account.name,
    mode: account.mode,
    default_currency: account.defaultCurrency.toLowerCase(),
    net_terms_days: account.netTermsDays,
    invoice_grace_seconds: account.invoiceGraceSeconds,
    rate_limit: account.rateLimit,
    payment_retry_days: account.paymentRetryDays,
    late_usage: account.lateUsage,
  };
}
