/** What the demo prints: numbered steps, one progress line at a time, tables. */

export type InvoiceOnScreen = {
  invoice_id: string | null;
  invoice_number: string | null;
  status: string;
  currency: { code: string };
  lines: {
    type: string;
    description: string;
    quantity: number | null;
    billable_quantity: number | null;
    amount: number;
  }[];
  charges_subtotal: number;
  tax_rate: number;
  tax_amount: number;
  total: number;
  amount_due: number;
};

let step = 0;

/** Announces the next step. */
export function announce(text: string): void {
  step += 1;
  console.log(`\n${step}. ${text}`);
}

/** One line under the current step. */
export function tell(text: string): void {
  console.log(`   ${text}`);
}

/** Shows how far a long step is: in place on a terminal, a line now and then elsewhere. */
export function showProgress(done: number, total: number, note: string): void {
  const line = `   ${String(done).padStart(String(total).length)} of ${total}  ${note}`;
  if (process.stdout.isTTY) process.stdout.write(`\r\u001b[K${line}${done === total ? '\n' : ''}`);
  else console.log(line);
}

/** An invoice as a table: its charges, what they add up to, and the credits below the total. */
export function showInvoice(title: string, invoice: InvoiceOnScreen): void {
  tell(`${title} (${invoice.status}, ${invoice.currency.code})`);
  const credits = invoice.lines.filter(({ type }) => type === 'credit');
  const charges = invoice.lines.filter(({ type }) => type !== 'credit');
  const rows = charges.map((line) => [
    line.description,
    line.quantity === null ? '' : String(line.quantity),
    line.billable_quantity === null ? '' : String(line.billable_quantity),
    money(line.amount),
  ]);
  const sums: [string, number][] = [
    ['Subtotal', invoice.charges_subtotal],
    [`Tax ${invoice.tax_rate} %`, invoice.tax_amount],
    ['Total', invoice.total],
    ...credits.map(({ description, amount }): [string, number] => [description, amount]),
    ['Amount due', invoice.amount_due],
  ];
  showTable(
    ['', 'quantity', 'billable', 'amount'],
    rows,
    sums.map(([name, amount]) => [name, '', '', money(amount)]),
  );
}

function showTable(head: string[], rows: string[][], foot: string[][]): void {
  const all = [head, ...rows, ...foot];
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  const rule = `   ${widths.map((width) => '─'.repeat(width)).join('  ')}`;
  const print = (row: string[]) =>
    console.log(
      `   ${row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  ')}`,
    );
  print(head);
  console.log(rule);
  rows.forEach(print);
  console.log(rule);
  foot.forEach(print);
}

/** Only for the screen: the API's numbers are exact, these are shown with two decimals. */
function money(amount: number): string {
  return amount.toFixed(2);
}
