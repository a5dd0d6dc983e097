import { leftOut } from '../../../core/left-out.ts';

/** Whose records are wanted, in their order, and how many bytes of them are read in all. */
export type OfCustomers = { customerIds: readonly string[]; bytes: number };

/** What {@link wholeWithinBytes} adds to each record. */
export type OfCustomerRow = { customer_id: string; of_customer: string; is_read: boolean };

/**
 * A statement over another one, whose rows have the `place` of their customer, a `seq`, and `bytes_beside`, which they take besides: its rows in that order as long as they are within so many
 * bytes, and of each customer of whom some are not one row that says how many there are.
 */
export function wholeWithinBytes(records: string, bytes: string): string {
  return `SELECT read.*, read.bytes_up_to <= ${bytes} AS is_read FROM (
      SELECT read.*, count(*) OVER (PARTITION BY place) AS of_customer, row_number() OVER (PARTITION BY place ORDER BY seq DESC) AS from_last,
        sum(octet_length(read::text) + read.bytes_beside) OVER (ORDER BY place, seq ROWS UNBOUNDED PRECEDING) AS bytes_up_to
      FROM (${records} OFFSET 0) read) read
    WHERE read.bytes_up_to <= ${bytes} OR read.from_last = 1 ORDER BY place, seq`;
}

/** The records of each customer; those of a customer whose records were not all read are left out. */
export function byCustomer<Row extends OfCustomerRow, T>(
  { rows }: { rows: readonly Row[] },
  fromRow: (row: Row) => T,
): Map<string, T[]> {
  const found = [...Map.groupBy(rows, (row) => row.customer_id)].map(([customerId, own]): [string, T[]] => {
    const count = Number(own[0]?.of_customer);
    const isWhole = own.length === count && own.every((row) => row.is_read);
    return [customerId, isWhole ? own.map(fromRow) : leftOut<T>(count)];
  });
  return new Map(found);
}
