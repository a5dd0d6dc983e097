import type { Exact } from '../api/exact.ts';

/** As many decimals as an exact number may have. */
const ALL_DECIMALS = 100;
const quantities = new Intl.NumberFormat('en', { maximumFractionDigits: ALL_DECIMALS });

/** A quantity with all its digits, in groups of three. */
export function Quantity({ value }: { value: Exact | null }) {
  if (value === null) return <None />;
  return <data value={String(value)}>{quantities.format(String(value) as `${number}`)}</data>;
}

/** An amount of money with all its digits, and its currency's code. `currency`: a code, or the API's record of it. */
export function Money({ value, currency }: { value: Exact | null; currency: string | { code: string } }) {
  if (value === null) return <None />;
  const code = (typeof currency === 'string' ? currency : currency.code).toUpperCase();
  return <data value={String(value)}>{moneyFormat(code).format(String(value) as `${number}`)}</data>;
}

/** A rate that the API tells in percent. */
export function Percent({ value }: { value: Exact }) {
  return (
    <>
      <Quantity value={value} /> %
    </>
  );
}

/** Where there is nothing to show. */
export function None() {
  return <>–</>;
}

const moneyFormats = new Map<string, Intl.NumberFormat>();

function moneyFormat(code: string): Intl.NumberFormat {
  const known = moneyFormats.get(code);
  if (known) return known;
  const format = new Intl.NumberFormat('en', {
    style: 'currency',
    currency: code,
    currencyDisplay: 'code',
    maximumFractionDigits: ALL_DECIMALS,
  });
  moneyFormats.set(code, format);
  return format;
}
