import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import type { PublishedHead } from '../../billing/chain/chain.ts';
import { publishedHeadToWire } from '../../wire/accounts/chain.ts';

const headLine = z
  .object({
    account_id: z.string(),
    sequence: z.int().positive(),
    chain_hash: z.string(),
    published_at: z.iso.datetime(),
  })
  .transform((head): PublishedHead => {
    const { account_id: accountId, chain_hash: chainHash, published_at } = head;
    return { accountId, sequence: head.sequence, chainHash, publishedAt: Date.parse(published_at) };
  });

/** Adds a line for each head to a file, which is made where it is missing; they are on disk when it returns. */
export async function appendHeads(file: string, heads: readonly PublishedHead[]): Promise<void> {
  const handle = await open(file, 'a', 0o600);
  try {
    // The line break before: what a crash has cut off stays a line of its own.
    await handle.appendFile(`\n${heads.map((head) => JSON.stringify(publishedHeadToWire(head))).join('\n')}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The heads of a file, in its order. Lines that are none are passed over: who could spoil one could take it away as well. */
export async function* readHeads(file: string): AsyncGenerator<PublishedHead> {
  const handle = await open(file);
  for await (const line of createInterface({ input: createReadStream('', { fd: handle }) })) {
    const head = headFromLine(line);
    if (head) yield head;
  }
}

function headFromLine(line: string): PublishedHead | undefined {
  try {
    return headLine.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
