import type { Decimal } from '../../core/decimal.ts';

/** What is due of open invoices in one currency, by how many days it is past due. */
export type Receivables = {
  notDue: Decimal;
  days1To30: Decimal;
  days31To60: Decimal;
  days61To90: Decimal;
  daysOver90: Decimal;
  total: Decimal;
  /** Open invoices. */
  count: number;
};
