import type { PriceRow } from './price-book.ts';
import type { Component } from './rating.ts';

/** The component as a row of its book prices a combination: by the row's price and free tier, else by its own. */
export function componentOfRow(component: Component, row: PriceRow | null): Component {
  const { book: _book, ...own } = component;
  if (!row) return own;
  const { limits, componentId, metricId, rounding, prepaidUnits } = component;
  const same = { componentId, metricId, rounding, prepaidUnits, ...(limits && { limits }) };
  return { ...same, ...row.price, freeTier: row.freeTier };
}

/** The component as it prices a line that names a row, or a combination that no row prices. */
export function componentOfLine(component: Component, priceId: string | null): Component {
  if (!component.book) return component;
  const row = component.book.rows.find((one) => one.priceId === priceId) ?? null;
  if (priceId !== null && !row) throw new Error(`the price book of ${component.componentId} has lost row ${priceId}`);
  return componentOfRow(component, row);
}
