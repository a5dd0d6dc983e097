import { z } from '@hono/zod-openapi';
import { BENT, type Bent, type ChainCheck, type PublishedHead } from '../../billing/chain/chain.ts';
import { type Instant, isoFromInstant } from '../../core/instants.ts';
import { instantWire } from '../primitives.ts';

const hashWire = z.string().regex(/^[0-9a-f]{64}$/);
const HASH = 'a7ffc6f8bf1ed76651c14756a061d662f580ff4de43b49fa82d80a4b80f8434a';

export const publishedHeadWire = z.object({
  account_id: z.string().openapi({ description: 'Whose chain it is.', example: 'acct_01jd3k9x' }),
  sequence: z.int().openapi({ description: 'The entry that it is, counted from 1.', example: 4218 }),
  chain_hash: hashWire.openapi({
    description: 'Hash of that entry, which holds all entries up to it: SHA-256 in hexadecimal digits.',
    example: HASH,
  }),
  published_at: instantWire.openapi({ description: 'When it was published.', example: '2026-11-20T14:00:12.040Z' }),
});

/** A published head as webhooks, the file of heads and the witness are given it. */
export function publishedHeadToWire(head: PublishedHead): z.infer<typeof publishedHeadWire> {
  const { accountId: account_id, sequence, chainHash: chain_hash } = head;
  return { account_id, sequence, chain_hash, published_at: isoFromInstant(head.publishedAt) };
}

const bentFieldWire = z
  .object({
    field: z.string().openapi({ description: 'The value, by its path in the record.', example: 'lines.0.amount' }),
    stored: z.string().nullable().openapi({ description: 'What is stored, as JSON; null: nothing.', example: '9' }),
    chained: z.string().nullable().openapi({
      description: "What was chained, as JSON, or of a customer's balance what the ledger says; null: nothing.",
      example: '29',
    }),
  })
  .openapi('BentField');

const bentWire = z.object({
  found: z.enum(BENT).openapi({ description: 'What is wrong with it.', example: 'record_changed' }),
  sequence: z.int().nullable().openapi({
    description: 'Its entry; null of a record that has none.',
    example: 17,
  }),
  kind: z
    .string()
    .nullable()
    .openapi({ description: 'What the record is: `invoice`, `ledger_transaction` or `customer`.', example: 'invoice' }),
  record_id: z.string().nullable().openapi({ description: 'The record.', example: 'inv_01jd3k9x' }),
  fields: z.array(bentFieldWire).openapi({ description: 'What differs, the first 20 values.' }),
});

/** The first row of an account that is not as it was chained. */
export function bentToWire({ found, sequence, kind, recordId, fields }: Bent): z.infer<typeof bentWire> {
  return { found, sequence, kind, record_id: recordId, fields };
}

export const chainHeadWire = z
  .object({
    sequence: z.int().openapi({ description: 'How many entries there are; 0 before the first.', example: 4230 }),
    chain_hash: hashWire.openapi({
      description: 'Hash of the newest entry, which holds all entries; 64 zeros before the first.',
      example: HASH,
    }),
    chained_at: instantWire.nullable().openapi({ description: 'When that was chained; null before the first.' }),
    published: publishedHeadWire
      .nullable()
      .openapi({ description: 'The newest published head; null before the first.' }),
    verification: z
      .object({
        verified_at: instantWire.openapi({ description: 'When.', example: '2026-11-20T05:00:04.120Z' }),
        entries: z.int().openapi({ description: 'How many entries are whole, from the first on.', example: 4201 }),
        bent: bentWire.nullable().openapi({ description: 'The first row that is not as it was chained; null: none.' }),
      })
      .nullable()
      .openapi({ description: 'What the newest nightly verification found; null before the first.' }),
  })
  .openapi('ChainHead');

/** Where an account's chain stands. */
export type ChainState = {
  head: { sequence: number; chainHash: string; chainedAt: Instant | null };
  published: PublishedHead | undefined;
  check: ChainCheck | undefined;
};

export function chainStateToWire({ head, published, check }: ChainState): z.infer<typeof chainHeadWire> {
  return {
    sequence: head.sequence,
    chain_hash: head.chainHash,
    chained_at: head.chainedAt === null ? null : isoFromInstant(head.chainedAt),
    published: published ? publishedHeadToWire(published) : null,
    verification: check
      ? {
          verified_at: isoFromInstant(check.checkedAt),
          entries: check.entries,
          bent: check.bent && bentToWire(check.bent),
        }
      : null,
  };
}
