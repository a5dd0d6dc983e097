import type { AnswerOf } from '../../api/client.ts';
import { AnchorLink } from '../../parts/anchor-link.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Money, Quantity } from '../../parts/numbers.tsx';
import { Region } from '../../parts/region.tsx';
import { ValuesByDay } from '../../parts/values-by-day.tsx';

type OfCurrency = AnswerOf<'/api/overview'>['currencies'][number];

/** What recurs by month and what was invoiced, in one currency. */
export function Revenue({ of: { currency, mrr, invoiced, invoiced_per_day } }: { of: OfCurrency }) {
  const title = `Revenue in ${currency.code}`;
  return (
    <Region title={title}>
      <Facts
        of={[
          ['Monthly recurring revenue', <Money key="mrr" value={mrr} currency={currency} />],
          ['Invoiced', <Money key="invoiced" value={invoiced} currency={currency} />],
        ]}
        cols={2}
      />
      <ValuesByDay
        title={`Invoiced by day in ${currency.code}`}
        series="Invoiced"
        rows={invoiced_per_day.map(({ date, amount }) => ({ date, value: amount }))}
        show={(value) => <Money value={value} currency={currency} />}
      />
    </Region>
  );
}

const AGES = ['not_due', 'days_1_30', 'days_31_60', 'days_61_90', 'days_over_90', 'total'] as const;
const AGE_NAMES = ['Not due', '1 to 30 days', '31 to 60 days', '61 to 90 days', 'Over 90 days', 'Total'];

const RECEIVABLES: Column<OfCurrency>[] = [
  {
    header: 'Currency',
    cell: ({ currency }) => (
      <AnchorLink to="/invoices" search={{ status: 'open' }} inherit>
        {currency.code}
      </AnchorLink>
    ),
  },
  ...AGES.map(
    (age, index): Column<OfCurrency> => ({
      header: AGE_NAMES[index] ?? age,
      cell: ({ currency, receivables }) => <Money value={receivables[age]} currency={currency} />,
      isNumber: true,
    }),
  ),
  { header: 'Invoices', cell: ({ receivables }) => <Quantity value={receivables.count} />, isNumber: true },
];

/** What is owed, by how long it has been due. */
export function Receivables({ of: currencies }: { of: OfCurrency[] }) {
  return (
    <DataTable
      columns={RECEIVABLES}
      rows={currencies}
      rowKey={({ currency }) => currency.code}
      empty="No invoices are open"
    />
  );
}
