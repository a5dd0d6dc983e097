import type { Content, TableCell } from 'pdfmake/interfaces.js';

export const INK = '#1c1f24';
export const GREY = '#6b7280';
export const RULE = '#d5d8de';

/** A table with a fine rule between its rows and none around it. */
export function ruled(body: TableCell[][], widths: (string | number)[] = ['*', 'auto']): Content & object {
  return {
    table: { widths, body, dontBreakRows: true },
    layout: {
      hLineWidth: (i, node) => (i === 0 || i === node.table.body.length ? 0 : 0.3),
      vLineWidth: () => 0,
      hLineColor: () => RULE,
      paddingLeft: (i) => (i === 0 ? 0 : 8),
      paddingRight: () => 0,
      paddingTop: () => 3,
      paddingBottom: () => 3,
    },
  };
}
