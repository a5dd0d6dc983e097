import pdfmake from 'pdfmake';
import type { TDocumentDefinitions } from 'pdfmake/interfaces.js';
import { FAMILIES, loadedFaces } from './fonts.ts';

declare module 'pdfmake' {
  /** Its memory of files, which its types leave out on the server. */
  const virtualfs: { existsSync(name: string): boolean; writeFileSync(name: string, content: Buffer): void };
}

pdfmake.setFonts(
  Object.fromEntries(FAMILIES.map((family) => [family, { normal: `${family}-normal`, bold: `${family}-bold` }])),
);
// A document reads what is in memory, and neither files nor addresses.
pdfmake.setLocalAccessPolicy(() => false);
pdfmake.setUrlAccessPolicy(() => false);

/** The document as PDF; the same document gives the same bytes, for its ids and dates come from what it says. */
export async function renderPdf(document: TDocumentDefinitions): Promise<Uint8Array> {
  for (const { family, normal, bold } of loadedFaces()) {
    if (pdfmake.virtualfs.existsSync(`${family}-normal`)) continue;
    pdfmake.virtualfs.writeFileSync(`${family}-normal`, normal);
    pdfmake.virtualfs.writeFileSync(`${family}-bold`, bold);
  }
  return pdfmake.createPdf(document).getBuffer();
}
