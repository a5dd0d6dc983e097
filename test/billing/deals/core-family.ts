import type { PlannedCredit } from '../../../billing/credits/planned-credits.ts';
import { computeInvoices } from '../../../billing/invoices/compute-invoice.ts';
import { consolidatedDrafts } from '../../../billing/invoices/consolidated-draft.ts';
import type { IssuedInvoice } from '../../../billing/invoices/invoice.ts';
import { inOrderOfDue, type NextStep } from '../../../billing/periods/schedule.ts';
import { isLive } from '../../../billing/subscriptions/states.ts';
import { type Instant, localDateAt } from '../../../core/instants.ts';
import type { CoreContract } from '../simulator/contract/core-contract.ts';
import type { CorePayer } from '../simulator/contract/core-payer.ts';
import { draftedParts } from '../simulator/contract/core-state.ts';

type Drafted = Pick<IssuedInvoice, 'kind' | 'subtotal' | 'taxAmount' | 'amountDue' | 'held'> & {
  lines: readonly Omit<IssuedInvoice['lines'][number], 'lineId'>[];
};

/** What was drafted of who pays, and what then was invoiced. */
export type ComparedDraft = { payer: CorePayer; drafted: readonly Drafted[]; invoiced: readonly Drafted[] };

/** Contracts of one who pays and of those that are billed to it, some of the time; before what time alone makes due it is drafted. */
export class CoreFamily {
  readonly compared: ComparedDraft[] = [];
  private readonly contracts: readonly CoreContract[];
  /** `drafted` null: it was not asked for. */
  private readonly open = new Map<CorePayer, { drafted: readonly Drafted[] | null; from: number }>();

  constructor(contracts: readonly CoreContract[]) {
    this.contracts = contracts;
  }

  passTime(until: Instant): void {
    for (let next = this.next(); next && next.step.dueAt <= until; next = this.next()) {
      const { contract, step } = next;
      const { payer } = contract;
      const at = step.dueAt;
      if (payer.others.size === 0) this.draftAlone(contract, step);
      else if (!this.open.has(payer)) this.draftTogether(payer, at);
      contract.step(step);
      const then = this.next();
      if (!then || then.step.dueAt > at) this.issueSections(at);
    }
  }

  /** Who is billed for a contract from now on. */
  move(contract: CoreContract, payer: CorePayer): void {
    const { own } = contract;
    contract.payer.others.delete(own.customerId);
    if (payer !== own) payer.others.add(own.customerId);
    this.open.delete(contract.payer);
    this.open.delete(payer);
    contract.payer = payer;
  }

  /** Of a paused subscription is drafted what a resume would bill. */
  draftResume(contract: CoreContract, at: Instant): void {
    if (contract.payer.others.size === 0 && contract.held.unbilled.length > 0)
      this.draft(contract.payer, [contract], at);
  }

  /** What has been invoiced by now is all that was drafted. */
  compare(payer: CorePayer): void {
    const draft = this.open.get(payer);
    // What a cancel left for the period's end was drafted before it.
    const isLeft = payer.others.size === 0 && this.billedTo(payer).some(({ held }) => held.subscription.billsAt);
    if (!draft || isLeft) return;
    this.open.delete(payer);
    const { drafted, from } = draft;
    if (drafted) this.compared.push({ payer, drafted, invoiced: this.issuedTo(payer).slice(from) });
  }

  compareAll(): void {
    for (const { payer } of this.contracts) if (payer.others.size === 0) this.compare(payer);
  }

  private next(): { contract: CoreContract; step: NextStep } | undefined {
    const due = this.contracts.flatMap((contract) => {
      const step = contract.nextStep();
      return step ? [{ contract, step }] : [];
    });
    return due.toSorted((a, b) => inOrderOfDue(a.step, b.step))[0];
  }

  private draftAlone(contract: CoreContract, { kind, dueAt }: NextStep): void {
    this.compare(contract.payer);
    const { plannedSwitch, status } = contract.held.subscription;
    const isEnd = status !== 'paused' && (kind === 'close_period' || kind === 'cancel');
    if (isEnd && (plannedSwitch === null || plannedSwitch.at >= dueAt)) this.draft(contract.payer, [contract], dueAt);
  }

  /** What will be invoiced at an instant, where all that is due then is. */
  private draftTogether(payer: CorePayer, at: Instant): void {
    const billed = this.billedTo(payer);
    const isKnown = this.contracts.every((one) =>
      one.payer === payer ? isBilledWhole(one, at) : givesNothing(one, at),
    );
    if (isKnown) this.draft(payer, billed, at);
    else this.open.set(payer, { drafted: null, from: 0 });
  }

  private draft(payer: CorePayer, contracts: readonly CoreContract[], dueAt: Instant): void {
    const { currency, taxRate, wallet } = payer;
    const at = dueAt - 1;
    const live = contracts.filter(({ held }) => isLive(held.subscription.status));
    const today = localDateAt(at, contracts[0]?.held.timeZone ?? 'UTC');
    const settled = { currency, taxRate, today, credits: wallet.credits };
    const creditsLeft: PlannedCredit[] = [];
    const parts = live.flatMap((contract) => {
      const { own, held, discounts } = contract;
      const of = { customerId: own.customerId, rules: held.catalog, discounts };
      return draftedParts(contract, at, creditsLeft).map((part) => ({ ...of, part }));
    });
    const drafted =
      payer.others.size === 0
        ? computeInvoices({ ...settled, discounts: live[0]?.discounts ?? [], parts: parts.map(({ part }) => part) })
        : consolidatedDrafts(
            parts.filter(({ part }) => part.dueAt === dueAt),
            { ...settled, customerId: payer.customerId },
            [],
            creditsLeft,
          );
    this.open.set(payer, { drafted: [...drafted], from: this.issuedTo(payer).length });
  }

  private issueSections(at: Instant): void {
    for (const { payer, held } of this.contracts) {
      if (payer.others.size === 0) continue;
      payer.issueSections({ at, today: localDateAt(at, held.timeZone) });
      this.compare(payer);
    }
  }

  private billedTo(payer: CorePayer): CoreContract[] {
    return this.contracts.filter((one) => one.payer === payer);
  }

  private issuedTo({ wallet, customerId }: CorePayer): IssuedInvoice[] {
    return wallet.issued.filter((invoice) => invoice.customerId === customerId);
  }
}

/** Whether a draft has all that is billed of a contract at an instant: else a switch comes behind it, or what a cancel or a pause leaves is for later. */
function isBilledWhole(contract: CoreContract, at: Instant): boolean {
  const { status, plannedSwitch, plannedCancel } = contract.held.subscription;
  const step = contract.nextStep();
  if (status === 'paused') return false;
  if (step?.dueAt !== at) return true;
  const isNow = step.kind === 'cancel' && plannedCancel?.invoicingBehavior === 'invoice_now';
  const isSwitched = plannedSwitch?.at === at && step.with !== 'switch';
  return !isSwitched && (isNow || step.kind === 'close_period' || step.kind === 'activate');
}

/** What one that has left gives back of what it was billed for is credited to who paid then, whose draft does not know. */
function givesNothing(contract: CoreContract, at: Instant): boolean {
  const step = contract.nextStep();
  return step?.dueAt !== at || (step.kind === 'close_period' && !step.with);
}
