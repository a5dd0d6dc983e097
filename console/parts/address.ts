import { useNavigate, useSearch } from '@tanstack/react-router';

/** Filters, page and sort of a list, as they stand in the address. */
export type Address = Record<string, string>;

/** What the address says after its `?`, and how to change some of it; what is changed to nothing goes. */
export function useAddress(): [Address, (change: Record<string, string | undefined>) => void] {
  const address = useSearch({ strict: false }) as Address;
  const navigate = useNavigate();
  return [address, (change) => void navigate({ to: '.', search: changed(address, change), replace: true })];
}

/** What of the address has one of these names: an address may say more than its page asks for. */
export function only(address: Address, names: readonly string[]): Address {
  return Object.fromEntries(Object.entries(address).filter(([name]) => names.includes(name)));
}

/** With another filter or order the list begins at its first page again. */
export function changed(address: Address, change: Record<string, string | undefined>): Address {
  const { page: _page, after: _after, ...kept } = address;
  return Object.fromEntries(
    Object.entries({ ...kept, ...change }).filter((entry): entry is [string, string] => Boolean(entry[1])),
  );
}

/** An address is read and written as plain text: an id that looks like a number stays text. */
export function parseSearch(text: string): Address {
  return Object.fromEntries(new URLSearchParams(text));
}

export function stringifySearch(search: Record<string, unknown>): string {
  const entries = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
  const text = new URLSearchParams(entries.map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? '' : `?${text}`;
}
