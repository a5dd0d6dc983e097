import { LosslessNumber } from 'lossless-json';
import type { Exact } from '../../api/exact.ts';

/** The sum of numbers with all their digits, as whole numbers of their smallest unit. */
export function sumExact(numbers: readonly Exact[]): Exact {
  const parts = numbers.map((number) => String(number).split('.'));
  const decimals = Math.max(0, ...parts.map(([, fraction = '']) => fraction.length));
  const units = parts.map(([whole = '', fraction = '']) => BigInt(whole + fraction.padEnd(decimals, '0')));
  const sum = units.reduce((total, one) => total + one, 0n);
  const digits = (sum < 0n ? -sum : sum).toString().padStart(decimals + 1, '0');
  const point = digits.length - decimals;
  const fraction = decimals === 0 ? '' : `.${digits.slice(point)}`;
  return new LosslessNumber(`${sum < 0n ? '-' : ''}${digits.slice(0, point)}${fraction}`);
}
