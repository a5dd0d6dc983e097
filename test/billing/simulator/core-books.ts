import type { IssuedInvoice } from '../../../billing/invoices/invoice.ts';
import type { GivenAsCredit } from '../../../billing/invoices/void-invoice.ts';
import type { Decimal } from '../../../core/decimal.ts';
import type { CoreWallet } from './core-wallet.ts';

type IssuedWithUses = IssuedInvoice & { uses: { creditId: string; amount: Decimal }[] };

/** What customers that are billed to one another have been billed, by whomever, and given back. */
export class CoreBooks {
  invoices: IssuedWithUses[] = [];
  /** Credits that were given back of invoices, less what a void has taken of them; `amount` is with tax. */
  given: (GivenAsCredit & { invoiceId: string; creditId: string })[] = [];
  private ids = 0;
  /** By customer. */
  wallets = new Map<string, CoreWallet>();

  nextId(): number {
    return this.ids++;
  }
}
