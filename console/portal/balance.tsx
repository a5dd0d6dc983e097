import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useAddress } from '../parts/address.ts';
import { CreditBalances } from '../parts/credit-balances.tsx';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { Facts } from '../parts/facts.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { Money } from '../parts/numbers.tsx';
import { Pager } from '../parts/pager.tsx';
import { Region } from '../parts/region.tsx';
import { Status } from '../parts/status.tsx';
import { CalendarDate } from '../parts/times.tsx';
import { wordsOf } from '../parts/words.ts';
import { type Credit, type Customer, views } from './views.ts';

const CREDITS: Column<Credit>[] = [
  { header: 'Credit', cell: ({ description, reason }) => description || wordsOf(reason) },
  { header: 'Status', cell: ({ status }) => <Status of={status} /> },
  {
    header: 'Left',
    cell: ({ amount_remaining, currency }) => <Money value={amount_remaining} currency={currency} />,
    isNumber: true,
  },
  { header: 'Of', cell: ({ amount, currency }) => <Money value={amount} currency={currency} />, isNumber: true },
  { header: 'Expires', cell: ({ expires_at }) => <CalendarDate date={expires_at} /> },
];

const PAGE_SIZE = '5';

/** What is owed, and the credits that the next invoices are paid from first. */
export function Balance({ customer }: { customer: Customer }) {
  const [{ credits_page: page, credits_after: after }] = useAddress();
  const credits = useQuery(views.credits({ page, after, page_size: PAGE_SIZE }));
  const left = useQuery(views.creditBalance());
  return (
    <Region title="Balance">
      <Stack>
        <Facts
          of={[
            ['Amount due', <Money key="due" value={customer.total_amount_due} currency={customer.default_currency} />],
            [
              'Credits left',
              <Loaded key="left" query={left}>
                {({ balances }) => <CreditBalances of={balances} />}
              </Loaded>,
            ],
            ['Payment method', customer.has_payment_method ? 'On file' : 'None on file'],
          ]}
          cols={2}
        />
        <Loaded query={credits}>
          {(list) => (
            <div>
              <DataTable columns={CREDITS} rows={list.results} rowKey={(one) => one.credit_id} empty="No credits yet" />
              <Pager page={list} by="credits_page" after="credits_after" />
            </div>
          )}
        </Loaded>
      </Stack>
    </Region>
  );
}
