import { describe, expect, it, test } from 'vitest';
import { emptyLine } from '../../billing/invoices/invoice-lines.ts';
import { decimal } from '../../core/decimal.ts';
import { dateText, periodText } from '../../documents/date-text.ts';
import { invoiceDocument } from '../../documents/invoice-document.ts';
import { lineRows } from '../../documents/line-rows.ts';
import { moneyText, priceText, quantityText } from '../../documents/money-text.ts';
import { renderPdf } from '../../documents/render-pdf.ts';
import { textRuns, visualOrder } from '../../documents/text-runs.ts';
import { totalRows } from '../../documents/total-rows.ts';
import { at, issuedInvoice } from '../billing/fixtures.ts';

describe('how money, quantities and dates read', () => {
  it.each([
    ['1234.5', 'USD', '$1,234.50'],
    ['-0.3', 'EUR', '−€0.30'],
    ['1200', 'JPY', '¥1,200'],
    ['0', 'USD', '$0.00'],
    ['1.5', 'KWD', 'KWD\u00a01.500'],
  ])('%s %s is %s', (amount, currency, text) => {
    expect(moneyText(decimal(amount), currency)).toBe(text);
  });

  test('a unit price has all its decimals', () => {
    expect(priceText(decimal('0.00002'), 'USD')).toBe('$0.00002');
    expect(priceText(decimal('1234.005'), 'USD')).toBe('$1,234.005');
    expect(priceText(decimal('29'), 'USD')).toBe('$29.00');
    expect(priceText(decimal('0.5'), 'JPY')).toBe('¥0.5');
    expect(quantityText(decimal('-1234567.25'))).toBe('−1,234,567.25');
  });

  test('dates name the month; a period shows its first and its last day', () => {
    expect(dateText('2026-03-05')).toBe('5 Mar 2026');
    const [start, end] = [at('2026-02-28T23:00:00Z'), at('2026-03-30T22:00:00Z')];
    expect(periodText(start, end, 'Europe/Berlin')).toBe('1 Mar 2026 – 30 Mar 2026');
    expect(periodText(start, start + 1, 'Europe/Berlin')).toBe('1 Mar 2026');
  });
});

describe('textRuns', () => {
  const runs = (text: string) => textRuns(text).map((run) => `${run.font.replace('noto-sans-', '')}:${run.text}`);

  it.each([
    ['Zürich', ['latin:Zürich']],
    ['Łódź', ['latin-ext:Ł', 'latin:ód', 'latin-ext:ź']],
    ['ООО Acme', ['cyrillic:ООО', 'latin: Acme']],
    ['東京', ['sc-chinese-simplified:東京']],
    ['東京の店', ['jp-japanese:東京の店']],
    ['주식회사', ['kr-korean:주식회사']],
  ])('%s', (text, expected) => {
    expect(runs(text)).toEqual(expected);
  });

  it('puts right-to-left words from right to left, numbers in their own order', () => {
    expect(visualOrder('רחוב הרצל 12 34').join('')).toBe('12 34 הרצל רחוב');
    expect(visualOrder('Acme שלום עולם Ltd').join('')).toBe('Acme עולם שלום Ltd');
    expect(runs('בע"מ')).toEqual(['hebrew-hebrew:מ', 'latin:"', 'hebrew-hebrew:בע']);
  });

  // At quadratic cost each would take longer than the test may.
  it.each(['x', 'Ł', '東', 'あ', 'ש', 'x ', 'ש '])('takes linear time: a text of %s alone', (piece) => {
    const text = piece.repeat(2 ** 18);
    const length = textRuns(text).reduce((sum, run) => sum + run.text.length, 0);
    expect(length).toBeGreaterThanOrEqual(text.length);
  });

  it('keeps every character, and lets a long word be broken', () => {
    for (const text of ['a b  c', 'emoji 😀!', 'x'.repeat(60), '\u0e44\u0e17\u0e22']) {
      const joined = textRuns(text)
        .map((run) => run.text)
        .join('');
      expect(joined.replaceAll('\u200b', '')).toBe(text);
    }
    expect(
      textRuns('x'.repeat(60))[0]
        ?.text.split('\u200b')
        .map(({ length }) => length),
    ).toEqual([24, 24, 12]);
  });
});

const line = (over: object) => ({ ...emptyLine('usage', 'Calls'), lineId: 'line_1', amount: decimal(5), ...over });
const textsOf = (rows: unknown) => [...JSON.stringify(rows).matchAll(/"text":"([^"]+)"/g)].map((match) => match[1]);

describe('the invoice', () => {
  const tier = {
    upTo: decimal(100),
    quantity: decimal(50),
    unitPrice: decimal('0.1'),
    flatFee: decimal(2),
    amount: decimal(7),
  };
  const lines = [
    line({ tiers: [tier], billableQuantity: decimal(50) }),
    line({ type: 'credit', description: 'Sorry', amount: decimal(-3) }),
  ];
  const invoice = issuedInvoice({
    lines,
    subtotal: decimal(5),
    taxRate: decimal(20),
    taxAmount: decimal(1),
    total: decimal(6),
    creditsApplied: decimal(4),
    amountDue: decimal(2),
  });

  test('shows charges with their tiers; credits stand among the totals, which follow from each other', () => {
    expect(textsOf(lineRows({ invoice, timeZone: 'UTC' }).map(({ cells }) => cells))).toEqual([
      'Calls',
      '50 × $0.10 + $2.00, up to 100',
      '50',
      '$5.00',
    ]);
    const totals = [
      'Subtotal',
      '$5.00',
      'Tax (20 %)',
      '$1.00',
      'Total',
      '$6.00',
      'Sorry',
      '−$3.00',
      'Credited later',
      '−$1.00',
    ];
    expect(textsOf(totalRows(invoice))).toEqual([...totals, 'Amount due (USD)', '$2.00']);
    expect(textsOf(totalRows({ ...invoice, status: 'void' }))).toEqual(totals);
  });

  test.each(['open', 'paid', 'void', 'uncollectible'] as const)('%s: the same bytes each time', async (status) => {
    const print = {
      invoice: { ...invoice, status, customerName: 'שלום 日本' },
      issuerName: 'Größe & Söhne',
      timeZone: 'UTC',
    };
    const [first, second] = [await renderPdf(invoiceDocument(print)), await renderPdf(invoiceDocument(print))];
    expect(Buffer.from(first).equals(Buffer.from(second))).toBe(true);
    expect(Buffer.from(first).toString('latin1')).toContain('/Type /Pages\n/Count 1');
  });

  test('a consolidated one has its lines beneath whose they are, with what those come to', () => {
    const section = { kind: 'period' as const, periodStart: null, periodEnd: null };
    const sections = [
      { ...section, customerId: 'payer', subscriptionId: 'sub_1', subtotal: decimal(5) },
      { ...section, customerId: 'child', subscriptionId: 'sub_2', subtotal: decimal(10) },
    ];
    const child = { customerId: 'child', subscriptionId: 'sub_2' };
    const of = [line({ customerId: 'payer', subscriptionId: 'sub_1' }), line(child), line(child)];
    const rows = lineRows({ invoice: issuedInvoice({ lines: of, sections }), timeZone: 'UTC' });
    expect(textsOf(rows.map(({ cells }) => cells))).toEqual([
      'payer',
      '$5.00',
      'Calls',
      '$5.00',
      'child',
      '$10.00',
      'Calls',
      '$5.00',
      'Calls',
      '$5.00',
    ]);
  });

  test('a long one has several pages, each with the sum of the charges up to its end', async () => {
    const lines = Array.from({ length: 1_000 }, () => line({ amount: decimal('0.01') }));
    const document = invoiceDocument({ invoice: { ...invoice, lines }, issuerName: 'Acme', timeZone: 'UTC' });
    const { footer } = document;
    if (typeof footer !== 'function') throw new Error('there is no footer');
    const sums = new Map<number, string | undefined>();
    document.footer = (page, pages, size) => {
      const foot = footer(page, pages, size);
      sums.set(
        page,
        textsOf(foot).find((text) => text?.startsWith('Carried forward ')),
      );
      return foot;
    };
    const pdf = await renderPdf(document);
    const pages = Number(/\/Type \/Pages\n\/Count (\d+)/.exec(Buffer.from(pdf).toString('latin1'))?.[1]);
    expect(pages).toBeGreaterThan(20);
    const told = [...sums.values()].flatMap((text) => (text ? [Number(text.replace('Carried forward $', ''))] : []));
    expect(told.every((sum, i) => sum > (told[i - 1] ?? 0) && sum < 10)).toBe(true);
    // None where the last charge stands, nor behind it.
    expect([pages - 2, pages - 1]).toContain(told.length);
  });
});
