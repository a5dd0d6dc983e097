import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { AnswerOf } from '../../api/client.ts';
import { recordQuery } from '../../api/queries.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Facts } from '../../parts/facts.tsx';
import { CustomerLink, InvoiceLink } from '../../parts/links.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { None, Quantity } from '../../parts/numbers.tsx';
import { Region } from '../../parts/region.tsx';
import { Status } from '../../parts/status.tsx';
import { Instant } from '../../parts/times.tsx';
import { wordsOf } from '../../parts/words.ts';

type ChainHead = AnswerOf<'/api/chain/head'>;
type Bent = NonNullable<NonNullable<ChainHead['verification']>['bent']>;

/** Where the chain of the account's ledger transactions and invoices stands, and what its last verification found. */
export function Chain() {
  const head = useQuery(recordQuery('/api/chain/head'));
  return (
    <Region title="Chain">
      <Loaded query={head}>
        {(chain) => (
          <Stack>
            <Text size="sm" c="dimmed">
              Every ledger transaction and invoice is kept with a hash of itself and of the one before: a record that
              was changed afterwards is found.
            </Text>
            <Facts of={factsOf(chain)} />
            {chain.verification?.bent && <BentRow of={chain.verification.bent} />}
          </Stack>
        )}
      </Loaded>
    </Region>
  );
}

function factsOf({
  sequence,
  chain_hash,
  chained_at,
  published,
  verification,
}: ChainHead): [string, React.ReactNode][] {
  return [
    ['Entries', <Quantity key="entries" value={sequence} />],
    ['Chained', <Instant key="chained" at={chained_at} />],
    ['Chain hash', chain_hash],
    ['Published', <Instant key="published" at={published?.published_at ?? null} />],
    ['Verified', <Instant key="verified" at={verification?.verified_at ?? null} />],
    ['Verification', verification ? <Status key="found" of={verification.bent ? 'bent' : 'whole'} /> : <None />],
  ];
}

const FIELDS: Column<Bent['fields'][number]>[] = [
  { header: 'Field', cell: ({ field }) => field },
  { header: 'Stored', cell: ({ stored }) => stored ?? <None /> },
  { header: 'Chained', cell: ({ chained }) => chained ?? <None /> },
];

/** The first row that is not as it was chained. */
function BentRow({ of: { found, sequence, kind, record_id, fields } }: { of: Bent }) {
  return (
    <>
      <Facts
        of={[
          ['Found', wordsOf(found)],
          ['Sequence', sequence === null ? <None key="sequence" /> : <Quantity key="sequence" value={sequence} />],
          ['Record', recordOf(kind, record_id)],
        ]}
      />
      <DataTable columns={FIELDS} rows={fields} rowKey={({ field }) => field} empty="No field differs" />
    </>
  );
}

function recordOf(kind: string | null, id: string | null) {
  if (kind === 'invoice') return <InvoiceLink key="record" id={id} />;
  if (kind === 'customer') return <CustomerLink key="record" id={id} />;
  return id ?? <None key="record" />;
}
