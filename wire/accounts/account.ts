import { z } from '@hono/zod-openapi';
import type { Account } from '../../billing/accounts/account.ts';
import { currencyCodeInput, integerInput, textInput } from '../primitives.ts';

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
    name: textInput.openapi({ description: 'What the account is called, on its invoices too.', example: 'Acme' }),
    default_currency: currencyCodeInput.openapi({
      description: 'Currency of new customers, plans and add-ons that name none.',
      example: 'usd',
    }),
    net_terms_days: integerInput(0, 3_650).openapi({ description: 'Days from issue to due date.', example: 0 }),
    invoice_grace_seconds: integerInput(0, MAX_GRACE_SECONDS).openapi({
      description: 'How long a closing waits after the end of a period.',
      example: 0,
    }),
    rate_limit: integerInput(1, 1_000_000)
      .nullable()
      .openapi({
        type: ['integer', 'null'],
        description: 'Requests per second and key; null: no limit.',
        example: null,
      }),
    payment_retry_days: retryDays.openapi({
      description: 'Days after a failed charge on which it is tried again.',
      example: [1, 3, 5, 7],
    }),
    late_usage: z.enum(LATE_USAGE).openapi({
      description:
        'What happens with usage that arrives for a billed period: next_invoice bills the difference, ignore does not.',
      example: 'next_invoice',
    }),
  })
  .partial()
  .openapi({ example: { net_terms_days: 14, late_usage: 'next_invoice' } });
export type AccountUpdate = z.output<typeof accountUpdate>;

export const accountWire = z
  .object({
    account_id: z
      .string()
      .openapi({ description: 'Id of the account that the API key belongs to.', example: 'acct_01jd3k9x' }),
    name: z.string().openapi({ description: 'What the account is called, on its invoices too.', example: 'Acme' }),
    mode: z.enum(MODES).openapi({
      description: 'In test mode there are test clocks, and events may lie in the future.',
      example: 'test',
    }),
    default_currency: z
      .string()
      .openapi({ description: 'Currency of new customers, plans and add-ons that name none.', example: 'usd' }),
    net_terms_days: z.int().openapi({ description: 'Days from issue to due date.', example: 0 }),
    invoice_grace_seconds: z
      .int()
      .openapi({ description: 'How long a closing waits after the end of a period.', example: 0 }),
    rate_limit: z
      .int()
      .nullable()
      .openapi({ description: 'Requests per second and key; null: no limit.', example: null }),
    payment_retry_days: z
      .array(z.int())
      .openapi({ description: 'Days after a failed charge on which it is tried again.', example: [1, 3, 5, 7] }),
    late_usage: z.enum(LATE_USAGE).openapi({
      description:
        'What happens with usage that arrives for a billed period: next_invoice bills the difference, ignore does not.',
      example: 'next_invoice',
    }),
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
