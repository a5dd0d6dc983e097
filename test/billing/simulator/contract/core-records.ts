import type { CreditReason } from '../../../../billing/credits/credits.ts';
import type { IssuedInvoice } from '../../../../billing/invoices/invoice.ts';
import type { GivenAsCredit } from '../../../../billing/invoices/void-invoice.ts';
import type { LedgerPosting } from '../../../../billing/ledger/ledger.ts';
import type { Decimal } from '../../../../core/decimal.ts';
import type { Instant, LocalDate } from '../../../../core/instants.ts';

type Now = { at: Instant; today: LocalDate };
type Why = [CreditReason, LedgerPosting];
type HoldsCredits = {
  give(amount: Decimal, days: number | null, now: Now, why: Why): string;
  payOwed(creditId: string, invoiceId: string, now: Now): void;
};
type IssuedWithUses = IssuedInvoice & { uses: { creditId: string; amount: Decimal }[] };

/** What customers that are billed to one another have been billed, by whomever, and given back. */
export class CoreRecords {
  invoices: IssuedWithUses[] = [];
  /** Credits that were given back of invoices, less what a void has taken of them; `amount` is with tax. */
  given: (GivenAsCredit & { invoiceId: string; creditId: string })[] = [];
  /** Whether invoices stay open until they are paid; else each counts as paid by hand at once. */
  readonly staysOpen: boolean;
  private ids = 0;
  /** By customer. */
  wallets = new Map<string, HoldsCredits>();

  constructor({ staysOpen = false } = {}) {
    this.staysOpen = staysOpen;
  }

  nextId(): number {
    return this.ids++;
  }
}
