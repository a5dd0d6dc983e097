import type { ApplicableDiscount } from '../../../../billing/discounts/discounts.ts';
import { computeInvoice, type InvoicePart } from '../../../../billing/invoices/compute-invoice.ts';
import {
  type ComputedSection,
  computeConsolidated,
  sectionOf,
} from '../../../../billing/invoices/consolidated-invoice.ts';
import type { NewInvoiceLine } from '../../../../billing/invoices/invoice.ts';
import type { Decimal } from '../../../../core/decimal.ts';
import type { Instant, LocalDate } from '../../../../core/instants.ts';
import { CoreWallet } from '../core-wallet.ts';
import { CoreRecords } from './core-records.ts';

type Now = { at: Instant; today: LocalDate };
type Billed = {
  owner: { customerId: string; subscriptionId: string };
  discounts: readonly ApplicableDiscount[];
  now: Now;
  /** Time alone has made it due. */
  isDue: boolean;
};

/** Who is billed, by its tax and with its credits: a customer, and those that are billed to it (spec/invoices#sections). */
export class CorePayer {
  readonly customerId: string;
  readonly currency: string;
  /** Of what is billed from now on. */
  taxRate: Decimal;
  readonly wallet: CoreWallet;
  readonly records: CoreRecords;
  /** Who is billed to it besides itself. */
  readonly others = new Set<string>();
  private waiting: (ComputedSection & { standIn: string })[] = [];

  constructor({
    customerId,
    currency,
    taxRate,
    records = new CoreRecords(),
  }: Pick<CorePayer, 'customerId' | 'currency' | 'taxRate'> & { records?: CoreRecords }) {
    [this.customerId, this.currency, this.taxRate] = [customerId, currency, taxRate];
    this.records = records;
    this.wallet = new CoreWallet(currency, { customerId, records });
  }

  /** As `issueInvoices`: what time alone makes due with others waits for the invoice of its instant. Answers which discounts have lowered it. */
  bill(part: InvoicePart, { owner, discounts, now, isDue }: Billed): string[] {
    const { currency, taxRate, wallet } = this;
    const on = { currency, today: now.today, discounts };
    if (isDue && this.others.size > 0) {
      const section = sectionOf(owner, part, on);
      this.waiting.push({ ...section, standIn: wallet.hold(section, taxRate) });
      return section.discountsUsed;
    }
    const computed = computeInvoice({ ...part, ...on, taxRate, credits: wallet.credits });
    const { customerId } = owner;
    const named = computed.lines.map((line) => (line.type === 'credit' ? line : { ...line, customerId }));
    wallet.issue({ ...computed, lines: customerId === this.customerId ? computed.lines : named }, now);
    return computed.discountsUsed;
  }

  /** As `issueSections`; `isOf`: only where one has charged such a line, as `issueChargedSections`. */
  issueSections(now: Now, isOf?: (line: NewInvoiceLine) => boolean): void {
    const isCharged = ({ lines }: ComputedSection) => lines.some((line) => line.amount.gt(0) && isOf?.(line));
    if (this.waiting.length === 0 || (isOf && !this.waiting.some(isCharged))) return;
    const { wallet } = this;
    const sections = this.waiting.splice(0);
    wallet.release(sections.map(({ standIn }) => standIn));
    wallet.issue(computeConsolidated(sections, { ...this, credits: wallet.credits, today: now.today }), now);
  }
}
