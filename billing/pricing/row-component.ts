import type { PriceRow, PropertyTexts } from './price-book.ts';
import type { Component } from './rating.ts';

/** The component as a row of its book prices a combination: by the row's price and free tier, else by its own. */
export function componentOfRow(component: Component, row: PriceRow | null): Component {
  const { book: _book, ...own } = component;
  if (!row) return own;
  const { limits, componentId, metricId, rounding, prepaidUnits } = component;
  const same = { componentId, metricId, rounding, prepaidUnits, ...(limits && { limits }) };
  return { ...same, ...row.price, freeTier: row.freeTier };
}

/** What a line says of the price book that it is priced by. */
type BookedLine = { priceId?: string | null; group?: PropertyTexts | null };

/** The component as it prices a line that names a row, or a combination that no row prices. */
export function componentOfLine(component: Component, line: BookedLine): Component {
  return componentOfRow(component, rowOfLine(component, line));
}

/** The row of a price book that prices a line; null where none does. */
export function rowOfLine({ book, componentId }: Component, { priceId = null }: BookedLine): PriceRow | null {
  if (!book || priceId === null) return null;
  const row = book.rows.find((one) => one.priceId === priceId);
  if (!row) throw new Error(`the price book of ${componentId} has lost row ${priceId}`);
  return row;
}

/** Whether it is the line of a window in which no row was used: it counts none of the events there are (spec/price-books#lines). */
export function countsNoEvents({ book }: Component, { group }: BookedLine): boolean {
  return book !== undefined && !group;
}
