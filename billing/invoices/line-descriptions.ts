import { type Decimal, toPlain } from '../../core/decimal.ts';
import { groupThousands } from '../../core/group-thousands.ts';
import type { ApplicableCredit, CreditReason } from '../credits/credits.ts';
import type {
  AddonCharge,
  FeeCharge,
  LateCharge,
  PrepaidCharge,
  ProrationCharge,
  TrueUpCharge,
  UsageCharge,
} from '../pricing/charges.ts';

/** What people read on their invoice. In English, stable: issued invoices quote it for ever. */
export function describeFee({ planName, billedDays, days }: FeeCharge): string {
  return billedDays === days
    ? `${planName}: recurring fee`
    : `${planName}: recurring fee, ${billedDays} of ${days} days`;
}

export function describePrepaid({ metricName, units }: PrepaidCharge): string {
  return `${metricName}: ${unitsText(units)} prepaid`;
}

/** `API calls: 1,234 units, 1,000 free`, `API calls: 1 unit, 500 prepaid`, `Tokens (gpt-5, input): 10 units`. */
export function describeUsage({ component, quantity, prepaidUnits, ...of }: UsageCharge): string {
  const free = component.freeTier.isZero() ? '' : `, ${groupDigits(component.freeTier)} free`;
  const prepaid = prepaidUnits.isZero() ? '' : `, ${groupDigits(prepaidUnits)} prepaid`;
  return `${nameOf(of)}: ${unitsText(quantity)}${free}${prepaid}`;
}

/** `Extra seats`, `Extra seats: 3 units`. */
export function describeAddon({ addonName, kind, quantity }: AddonCharge): string {
  return kind === 'quantity' ? `${addonName}: ${unitsText(quantity)}` : addonName;
}

/** `Switch from Basic to Pro: 20 of 30 days`; what is taken back of it reads `Switch from Basic to Pro: less 5 of 30 days`. */
export function describeProration({ oldPlanName, planName, billedDays, days }: ProrationCharge): string {
  const less = billedDays < 0 ? 'less ' : '';
  return `Switch from ${oldPlanName} to ${planName}: ${less}${Math.abs(billedDays)} of ${days} days`;
}

/** `API calls: late usage, 12 units`; the line itself names the period. */
export function describeLate({ before, after, prepaidUnits, prepaidBefore, ...of }: LateCharge): string {
  const change = after.value.minus(before.value);
  if (!change.isZero()) return `${nameOf(of)}: late usage, ${unitsText(change)}`;
  const left = `${groupDigits(prepaidUnits)} prepaid units left instead of ${groupDigits(prepaidBefore)}`;
  return `${nameOf(of)}: ${left} by late usage`;
}

/** `Tokens`, of a combination `Tokens (gpt-5, input)`. */
function nameOf({ metricName, group }: Pick<UsageCharge, 'metricName' | 'group'>): string {
  if (!group) return metricName;
  return `${metricName} (${Object.values(group.texts)
    .map((text) => text ?? 'none')
    .join(', ')})`;
}

/** `API calls: up to the minimum of 40`, `Pro: down to the maximum of 130`. */
export function describeTrueUp({ name, charged, limits, isLate }: TrueUpCharge): string {
  const { minimumAmount, maximumAmount } = limits;
  const late = isLate ? ', late usage' : '';
  if (maximumAmount && charged.gte(maximumAmount)) {
    return `${name}: down to the maximum of ${groupDigits(maximumAmount)}${late}`;
  }
  if (minimumAmount && charged.lte(minimumAmount)) {
    return `${name}: up to the minimum of ${groupDigits(minimumAmount)}${late}`;
  }
  return `${name}: within its limits again${late}`;
}

const CREDITS: Record<CreditReason, string> = {
  service_credit: 'Service credit',
  promotional_credit: 'Promotional credit',
  goodwill_credit: 'Goodwill credit',
  overpayment_credit: 'Overpayment credit',
};

export function describeCredit({ reason, description }: ApplicableCredit): string {
  return description ? `${CREDITS[reason]}: ${description}` : CREDITS[reason];
}

function unitsText(quantity: Decimal): string {
  return `${groupDigits(quantity)} ${quantity.eq(1) ? 'unit' : 'units'}`;
}

/** 1234567.8901 as `1,234,567.8901`, exact. */
export function groupDigits(x: Decimal): string {
  const [integer = '', fraction] = toPlain(x).split('.');
  const grouped = groupThousands(integer);
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}
