import type { PlannedCredit } from '../../../billing/credits/planned-credits.ts';
import { type ApplicableDiscount, discountsCounted } from '../../../billing/discounts/discounts.ts';
import { computeInvoices } from '../../../billing/invoices/compute-invoice.ts';
import {
  conditionalDrafts,
  consolidatedDrafts,
  type PartOfPayer,
} from '../../../billing/invoices/consolidated-draft.ts';
import { isStandIn } from '../../../billing/invoices/consolidated-invoice.ts';
import type { DraftPart } from '../../../billing/invoices/draft-parts.ts';
import type { IssuedInvoice } from '../../../billing/invoices/invoice.ts';
import { inOrderOfDue, type NextStep } from '../../../billing/periods/schedule.ts';
import { isLive } from '../../../billing/subscriptions/states.ts';
import { decimal, sum, toPlain } from '../../../core/decimal.ts';
import { DomainError } from '../../../core/domain-error.ts';
import { type Instant, localDateAt } from '../../../core/instants.ts';
import type { DealDiscount } from '../deals/deal.ts';
import type { CoreContract } from '../simulator/contract/core-contract.ts';
import { CorePayer } from '../simulator/contract/core-payer.ts';
import { CoreRecords } from '../simulator/contract/core-records.ts';
import { draftedParts } from '../simulator/contract/core-state.ts';
import { billOfComputed } from './core-bills.ts';
import { actOf, addedPrice, contractOf, discountOf, plansIn, withRow } from './core-terms.ts';
import { type Bill, instantOf, type Life, type LifeAct, type LifeStep, type Outcome } from './life.ts';

/** The date of a drafted invoice that nothing makes due yet. */
export const NO_DATE = 'no date';

/** A customer of a life: as one who pays, and what it has subscribed to. */
type Member = { id: string; own: CorePayer; payer: CorePayer; contracts: CoreContract[]; addons: number };

/**
 * Performs a life in memory, by the copies of the services in `test/billing/simulator`. Invoices stay open until a step pays them.
 * Prepaid units that change, and a grace, are beyond these copies: such a life throws.
 */
export class CorePlayer {
  readonly life: Life;
  private readonly members = new Map<string, Member>();
  private readonly plans: ReturnType<typeof plansIn>;
  private readonly records = new CoreRecords({ staysOpen: true });
  private readonly seen = new Map<string, Bill>();
  /** By subscription line; those that were used up, too. */
  private discounts = 0;
  private at: Instant = instantOf(0);

  constructor(life: Life) {
    if (life.graceDays) throw new Error('a grace is not lived in memory');
    this.life = life;
    this.plans = plansIn(life);
    for (const { id, taxRate = '0', billedTo } of life.customers) {
      const own = new CorePayer({ customerId: id, currency: 'USD', taxRate: decimal(taxRate), records: this.records });
      const payer = billedTo === undefined ? own : this.member(billedTo).own;
      if (payer !== own) payer.others.add(id);
      this.members.set(id, { id, own, payer, contracts: [], addons: 0 });
    }
  }

  /** Performs what is due by then, and the step; false: it is refused. */
  perform(step: LifeStep): boolean {
    this.passTime(step.at);
    const member = this.member(step.customer ?? this.life.customers[0]?.id ?? '');
    try {
      this.act(member, step);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return false;
    } finally {
      this.issueSections(this.at);
    }
    return true;
  }

  passTime(day: number): void {
    const until = instantOf(day);
    for (let next = this.next(); next && next.step.dueAt <= until; next = this.next()) this.takeStep(next);
    this.at = until;
    for (const contract of this.contracts()) contract.held.now = until;
  }

  /** What time alone makes due next. */
  next(): { contract: CoreContract; step: NextStep } | undefined {
    const due = this.contracts().flatMap((contract) => {
      const step = contract.nextStep();
      return step ? [{ contract, step }] : [];
    });
    return due.toSorted((a, b) => inOrderOfDue(a.step, b.step))[0];
  }

  /** Whether it has billed anything. */
  takeStep({ contract, step }: { contract: CoreContract; step: NextStep }): boolean {
    const { length } = this.records.invoices;
    contract.step(step);
    const isBilled = this.records.invoices.length > length;
    const then = this.next();
    if (then?.step.dueAt === step.dueAt) this.look();
    else this.issueSections(step.dueAt);
    return isBilled;
  }

  draft(customer: string): Bill[] {
    const { own, payer } = this.member(customer);
    const billed = this.contracts().filter((one) => (payer === own ? one.payer === own : one.own === own));
    const creditsLeft: PlannedCredit[] = [];
    const parts = billed
      .flatMap((contract) => this.partsOf(contract, creditsLeft).toSorted((a, b) => a.part.dueAt - b.part.dueAt))
      .filter(({ part: { condition } }) => condition === null);
    const settled = this.termsOf(payer);
    if (payer !== own) settled.credits = [];
    if (own.others.size > 0) {
      const drafts = [...consolidatedDrafts(parts, { ...settled, customerId: customer }, [], creditsLeft)];
      return drafts.map((one) => billOfComputed(customer, { ...one, issueDate: one.issuedOn ?? NO_DATE }));
    }
    const ordered = parts.map(({ part }) => part).toSorted((a, b) => a.dueAt - b.dueAt);
    const discounts = billed.flatMap((contract) => contract.discounts);
    const drafts = [...computeInvoices({ ...settled, discounts, parts: ordered })];
    const dateOf = (part?: DraftPart) => (part && Number.isFinite(part.dueAt) ? part.issuedOn : NO_DATE);
    return drafts.map((one, i) => billOfComputed(customer, { ...one, issueDate: dateOf(ordered[i]) }));
  }

  /** What the draft of who pays for it says that a resume of the customer's paused subscription would bill now. */
  draftOnResume(customer: string): { payer: string; drafted: Bill[] } {
    const { payer, contracts } = this.member(customer);
    const { customerId } = payer;
    const drafts = conditionalDrafts(
      contracts.slice(-1).flatMap((one) => this.partsOf(one)),
      { ...this.termsOf(payer), customerId },
    );
    const bills = [...drafts].map((one) => billOfComputed(customerId, { ...one, issueDate: one.issuedOn }));
    return { payer: customerId, drafted: bills };
  }

  issued(customer: string): Bill[] {
    return this.invoicesOf(customer).flatMap(({ invoiceId }) => this.seen.get(invoiceId ?? '') ?? []);
  }

  outcome(): Outcome {
    const outcome: Outcome = { net: {}, invoices: [], credits: [] };
    for (const { id, own } of this.members.values()) {
      const invoices = this.invoicesOf(id);
      const valid = invoices.filter(({ status }) => status !== 'void');
      const paidBack = own.wallet.credits.filter(({ reason }) => reason === 'overpayment_credit');
      outcome.net[id] = sum(valid.map(({ amountPaid, amountDue }) => amountPaid.plus(amountDue)))
        .minus(sum(own.wallet.sentBack().map(({ amount }) => amount)))
        .minus(sum(paidBack.map(({ amountRemaining }) => amountRemaining)))
        .toFixed();
      for (const { kind, total, status, amountDue } of invoices) {
        const left = status === 'void' ? 'void' : `due ${toPlain(amountDue)}`;
        outcome.invoices.push(`${id} ${kind} ${toPlain(total)}, ${left}`);
      }
      for (const { amountRemaining, expiresAt } of own.wallet.credits) {
        const until = expiresAt === null ? '' : ` until ${expiresAt}`;
        outcome.credits.push(`${id} ${toPlain(amountRemaining)}${until}`);
      }
    }
    return outcome;
  }

  /** The customers that are billed to nobody else. */
  payers(): string[] {
    return [...this.members.values()].filter(({ own, payer }) => own === payer).map(({ id }) => id);
  }

  /** The subscriptions that are billed to a customer, in the order of their customers. */
  contractsOf(customer: string): CoreContract[] {
    const { own } = this.member(customer);
    return this.contracts().filter((one) => one.payer === own);
  }

  /** The subscriptions that have been billed to a customer, and are billed to somebody else now. */
  contractsPaidBefore(customer: string): CoreContract[] {
    const { own } = this.member(customer);
    const billed = this.invoicesOf(customer).flatMap(({ lines }) => lines.map((line) => line.customerId));
    return this.contracts().filter((one) => one.payer !== own && billed.includes(one.own.customerId));
  }

  private partsOf = (contract: CoreContract, creditsLeft: PlannedCredit[] = []): PartOfPayer[] => {
    const { held, discounts } = contract;
    const of = { customerId: contract.own.customerId, rules: held.catalog, discounts };
    return draftedParts(contract, this.at, creditsLeft).map((part) => ({ ...of, part }));
  };

  private termsOf({ currency, taxRate, wallet: { credits } }: CorePayer) {
    return { currency, taxRate, today: localDateAt(this.at, 'UTC'), credits };
  }

  private act(member: Member, act: LifeStep): void {
    const { own } = member;
    const now = { at: this.at, today: localDateAt(this.at, 'UTC') };
    switch (act.do) {
      case 'use':
        return;
      case 'subscribe':
        this.subscribe(member, act);
        return;
      case 'redeem': {
        const contract = this.live(member);
        contract.discounts = [...contract.discounts, this.newDiscount(contract, act.discount)];
        return;
      }
      case 'pay':
        for (const invoice of this.invoicesOf(member.id))
          if (invoice.status === 'open') own.wallet.pay(this.placeOf(invoice), now);
        return;
      case 'void':
        this.void(member, act.invoice);
        return;
      case 'give_up':
        own.wallet.giveUp(this.placeOf(this.invoiceIn(member, act.invoice)));
        return;
      case 'refund': {
        const amount = act.amount === undefined ? undefined : decimal(act.amount);
        own.wallet.refund(this.placeOf(this.invoiceIn(member, act.invoice)), amount, 'bank_transfer', now);
        return;
      }
      case 'grant':
        own.wallet.grant(decimal(act.amount), act.expiresInDays ?? null, now);
        return;
      case 'bill_to':
        this.moveTo(member, act.payer);
        return;
      case 'tax':
        own.taxRate = decimal(act.rate);
        return;
      case 'add_price':
        this.addPrice(act);
        return;
      case 'units':
        throw new Error('units do not change in memory');
      default:
        this.change(member, act);
    }
  }

  private subscribe(member: Member, act: Extract<LifeAct, { do: 'subscribe' }>): void {
    const number = [...this.members.values()].flatMap((one) => one.contracts).length;
    const subscriptionId = `s${number}`;
    const discounts = (act.discounts ?? []).map((one) => discountOf(one, subscriptionId, this.discounts++));
    const terms = { subscriptionId, at: this.at, plans: this.plans, discounts };
    const contract = contractOf(this.life, act, { ...terms, own: member.own, earlier: member.contracts });
    contract.payer = member.payer;
    member.contracts.push(contract);
    contract.held.now = this.at;
    for (let next = contract.nextStep(); next && next.dueAt <= this.at; next = contract.nextStep())
      this.takeStep({ contract, step: next });
  }

  private change(member: Member, act: LifeAct): void {
    const which = act.do === 'cancel' ? act.subscription : undefined;
    const contract = which === undefined ? this.live(member) : member.contracts[which];
    if (!contract) throw new Error(`no subscription ${which}`);
    const addon = act.do === 'attach' ? member.addons++ : 0;
    const core = actOf(act, { at: this.at, plans: this.plans, addon });
    if (!contract.tryAct(core, this.at)) throw new DomainError('conflict', `a ${act.do} is refused`);
  }

  /** For all who have the plan, and who will. */
  private addPrice(act: Extract<LifeAct, { do: 'add_price' }>): void {
    const plan = this.plans.get(act.plan);
    const book = plan?.components.find(({ metricId }) => metricId === act.metric)?.book;
    if (!plan || !book || book.rows.some(({ when }) => when.model === act.model))
      throw new DomainError('conflict', 'no such book, or it has the row');
    const core = addedPrice(act, { at: this.at, planId: plan.planId });
    for (const contract of this.contracts()) contract.tryAct(core, this.at);
    this.plans.set(act.plan, withRow(plan, core));
  }

  private void(member: Member, which?: number): void {
    const invoice = this.invoiceIn(member, which);
    member.own.wallet.void(this.placeOf(invoice), { at: this.at, today: localDateAt(this.at, 'UTC') });
    // As `updateDiscountsUncounted`.
    const counted = discountsCounted(invoice);
    for (const contract of this.contracts()) {
      contract.discounts = contract.discounts.map((one) => {
        const times = counted.filter((id) => id === one.discountId).length;
        return one.periodsRemaining === null ? one : { ...one, periodsRemaining: one.periodsRemaining + times };
      });
    }
  }

  private moveTo(member: Member, payer: string | null): void {
    const next = payer === null ? member.own : this.member(payer).own;
    member.payer.others.delete(member.id);
    if (next !== member.own) next.others.add(member.id);
    member.payer = next;
    for (const contract of member.contracts) contract.payer = next;
  }

  private newDiscount(contract: CoreContract, discount: DealDiscount): ApplicableDiscount {
    const { subscriptionId } = contract.held.subscription;
    return discountOf(discount, subscriptionId, this.discounts++);
  }

  /** The latest subscription; refused where it has ended. */
  private live({ contracts }: Member): CoreContract {
    const contract = contracts.at(-1);
    if (!contract || !isLive(contract.held.subscription.status)) throw new DomainError('conflict', 'it has ended');
    return contract;
  }

  /** What is due by then of one who pays for others is on one invoice. */
  private issueSections(at: Instant): void {
    const now = { at, today: localDateAt(at, 'UTC') };
    for (const { own } of this.members.values()) own.issueSections(now);
    this.look();
  }

  private look(): void {
    for (const invoice of this.records.invoices) {
      const key = invoice.invoiceId ?? '';
      if (!this.seen.has(key)) this.seen.set(key, billOfComputed(invoice.customerId, invoice));
    }
  }

  private invoiceIn({ id }: Member, which = -1): IssuedInvoice {
    const invoice = this.invoicesOf(id).at(which);
    if (!invoice) throw new DomainError('not_found', 'no invoice');
    return invoice;
  }

  private invoicesOf(customer: string): IssuedInvoice[] {
    const isTheirs = ({ customerId, invoiceId }: IssuedInvoice) =>
      customerId === customer && !isStandIn(invoiceId ?? '');
    return this.records.invoices.filter(isTheirs);
  }

  /** Counted from the newest, as the wallet counts. */
  private placeOf({ invoiceId }: IssuedInvoice): number {
    const { invoices } = this.records;
    return invoices.length - 1 - invoices.findIndex((one) => one.invoiceId === invoiceId);
  }

  private contracts(): CoreContract[] {
    return [...this.members.values()].flatMap((one) => one.contracts);
  }

  private member(id: string): Member {
    const member = this.members.get(id);
    if (!member) throw new Error(`no customer ${id}`);
    return member;
  }
}
