import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { PageHead } from '../parts/page-head.tsx';
import { Balance } from './balance.tsx';
import { Invoices } from './invoices.tsx';
import { UpcomingInvoice } from './upcoming-invoice.tsx';
import { Usage } from './usage.tsx';
import { views } from './views.ts';

/** What a payer asks: what is owed, what comes next and why, what was used, what was invoiced. */
export function SummaryPage() {
  const { data: customer } = useQuery(views.customer());
  if (!customer) return null;
  return (
    <>
      <PageHead title={customer.customer_name || customer.customer_id} />
      <Text size="sm" c="dimmed" mb="md">
        Usage and invoices. Times are of {customer.timezone}.
        {customer.is_billed_to_another && ' Another pays for what is used here.'}
      </Text>
      <Stack>
        <Balance customer={customer} />
        <UpcomingInvoice />
        <Usage customerId={customer.customer_id} />
        <Invoices />
      </Stack>
    </>
  );
}
