/** The account that owns customers, plans and keys (spec/accounts#account). */
export type Account = {
  accountId: string;
  name: string;
  mode: 'test' | 'live';
  /** ISO 4217 code in upper case. */
  defaultCurrency: string;
  /** Days from issue to the due date. */
  netTermsDays: number;
  /** Seconds between a period's end and its closing. */
  invoiceGraceSeconds: number;
  /** Requests per second and key; null: no limit. */
  rateLimit: number | null;
  /** Days after a failed payment on which it is tried again. */
  paymentRetryDays: number[];
  /** What becomes of usage that arrives for a period already billed (spec/invoices#late-usage). */
  lateUsage: 'next_invoice' | 'ignore';
};
