import { insertMissingPrices } from '../../sql/postgres/catalog/missing-prices.ts';
import type { HeldRecord } from '../../sql/postgres/invoices/held-combinations.ts';
import { insertOutboxEvents } from '../../sql/postgres/outbox.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { heldRecordToWire } from '../../wire/catalog/held-usage.ts';

/** Tells of combinations that were never told as without a price, each once for its plan and metric, whoever tells (spec/price-books#unmatched). */
export async function tellMissingPrices(
  tx: Transaction,
  accountId: string,
  held: readonly HeldRecord[],
): Promise<void> {
  const untold = await insertMissingPrices(tx, accountId, held);
  const events = untold.map((one) => {
    return { type: 'price.missing', subject: `plan/${one.planId}`, data: heldRecordToWire(one) };
  });
  await insertOutboxEvents(tx, accountId, events);
}
