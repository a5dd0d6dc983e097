import { describe, expect, it } from 'vitest';
import { currencyOf, findCurrency } from '../../core/currencies.ts';

describe('findCurrency', () => {
  // "Currency exponents follow ISO 4217 (JPY 0, USD 2, KWD 3)" (spec/api#currencies)
  it.each([
    ['USD', 'US Dollar', '$', 2],
    ['JPY', 'Japanese Yen', '¥', 0],
    ['KWD', 'Kuwaiti Dinar', 'KWD', 3],
    ['EUR', 'Euro', '€', 2],
    ['IDR', 'Indonesian Rupiah', 'Rp', 2],
    ['MGA', 'Malagasy Ariary', 'Ar', 2],
    ['CLF', 'Chilean Unit of Account (UF)', 'CLF', 4],
  ])('%s is %s, %s, with %i decimals', (code, name, symbol, exponent) => {
    expect(findCurrency(code)).toEqual({ code, name, symbol, exponent });
  });

  it('takes a code in any case', () => {
    expect(findCurrency('usd')).toEqual(findCurrency('USD'));
    expect(findCurrency('Usd')?.code).toBe('USD');
  });

  it.each([['XXX'], ['HRK'], ['US'], ['USDT'], ['US '], [''], ['toString'], ['ſgd']])('%j is none', (code) => {
    expect(findCurrency(code)).toBeNull();
    expect(() => currencyOf(code)).toThrow('not a currency');
  });

  it('has a symbol of its own for every currency', () => {
    const codes = Intl.supportedValuesOf('currency').filter((code) => findCurrency(code) !== null);
    const symbols = codes.map((code) => currencyOf(code).symbol);
    expect(codes.length).toBeGreaterThan(150);
    expect(new Set(symbols).size).toBe(symbols.length);
  });
});
