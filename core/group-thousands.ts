/** The digits of a whole number with a comma before each group of three: -1234567 -> `-1,234,567`. */
export function groupThousands(integer: string): string {
  const sign = integer.startsWith('-') ? '-' : '';
  const digits = integer.slice(sign.length);
  const first = digits.length % 3 || 3;
  const groups = [digits.slice(0, first)];
  for (let at = first; at < digits.length; at += 3) groups.push(digits.slice(at, at + 3));
  return sign + groups.join(',');
}
