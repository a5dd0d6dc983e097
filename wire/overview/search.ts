import { z } from '@hono/zod-openapi';
import type { SearchHit } from '../../billing/overview/search-hit.ts';

/** Query of GET /api/search (spec/overview#search). */
export const searchQuery = z.object({
  q: z
    .string('Required.')
    .refine((text) => text.trim() !== '', 'This field may not be blank.')
    .refine((text) => [...text].length <= 320, 'Must have at most 320 characters.')
    .openapi({
      description: "An id, an invoice's number, words of a customer, or a name in the catalog.",
      maxLength: 320,
      example: 'acme',
    }),
});

const SEARCH_TYPES = ['customer', 'subscription', 'invoice', 'plan', 'addon', 'metric', 'credit', 'event'] as const;

export const searchWire = z
  .object({
    results: z
      .array(
        z.object({
          type: z.enum(SEARCH_TYPES).openapi({ description: 'What it is.', example: 'customer' }),
          id: z.string().openapi({ description: "Its id; an event's idempotency_id.", example: 'acme' }),
          title: z.string().openapi({ description: 'What it is called.', example: 'Acme Inc.' }),
          detail: z.string().openapi({ description: 'A little more, for people.', example: 'billing@acme.example' }),
          customer_id: z
            .string()
            .nullable()
            .openapi({ description: 'The customer that it is, or is of; null: of none.', example: 'acme' }),
        }),
      )
      .openapi({ description: 'At most 20: what has that very id or number, then customers, then the catalog.' }),
  })
  .openapi('SearchResults');

/** What a search found as the API returns it. */
export function searchToWire(hits: readonly SearchHit[]): z.infer<typeof searchWire> {
  return { results: hits.map(({ customerId, ...hit }) => ({ ...hit, customer_id: customerId })) };
}
