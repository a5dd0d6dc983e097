import { Client, Connection } from '@temporalio/client';
import { createPool } from '../../sql/postgres/postgres.ts';
import { startOwnStack } from '../../test/stack/own-stack.ts';
import { report } from '../figures.ts';
import { measurePayer } from './payer.ts';
import { measurePriceBook } from './price-book.ts';

const CHILDREN = 1_000;
/** A small try has fewer children, too. */
const EVENTS_A_CHILD = 4_000;
const GOALS = {
  'price book over SQL': 1.3,
  'draft p99 ms, rolled up': 300,
  'worker MB more': 32,
  'children over separate': 0.7,
};

/** What is sold at prices of its own: a price book with many rows and combinations, and a payer of many customers. */
export async function benchPricing(events: number): Promise<void> {
  const stack = await startOwnStack();
  const file = stack.file();
  const postgres = createPool(file.postgres_url);
  const connection = await Connection.connect({ address: file.temporal_address });
  const client = new Client({ connection });
  try {
    const count = Math.min(CHILDREN, Math.ceil(events / EVENTS_A_CHILD));
    const payer = await measurePayer({ file, postgres, client, running: 0 }, count);
    console.table([payer]);
    const priceBooks = await measurePriceBook(file, postgres, events);
    report('pricing', [...priceBooks, payer], { goals: GOALS });
  } finally {
    await Promise.all([postgres.end(), connection.close()]);
    await stack.stop();
  }
}
