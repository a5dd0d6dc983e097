import { Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import type { AnswerOf } from '../api/client.ts';
import { Bill, type BillLine } from './bill.tsx';

type Draft = AnswerOf<'/api/customers/{customer_id}/draft_invoice'>;
type DraftPart = NonNullable<Draft['invoices']>[number];

/** `describe`: a line in words, which may lead to how it comes about; `nameOf`: a subscription in words. */
type DraftBillProps = {
  draft: Draft;
  describe: (line: BillLine) => ReactNode;
  nameOf?: (subscriptionId: string) => ReactNode;
};

/** A draft: what will be billed if nothing else happens, then what a resume of each paused subscription would bill. */
export function DraftBill({ draft, describe, nameOf }: DraftBillProps) {
  const onResume = (draft.invoices ?? []).filter(({ condition }) => condition === 'on_resume');
  return (
    <Stack>
      <Bill bill={draft} describe={describe} empty="Nothing will be billed" />
      {onResume.map((part) => (
        <OnResume key={keyOf(part)} part={part} describe={describe} nameOf={nameOf} />
      ))}
    </Stack>
  );
}

function OnResume({ part, describe, nameOf }: Pick<DraftBillProps, 'describe' | 'nameOf'> & { part: DraftPart }) {
  const { subscription_id: id } = part;
  const name = id && nameOf?.(id);
  return (
    <Stack gap="xs">
      <Title order={3} size="h6">
        Billed on a resume
      </Title>
      <Text size="sm">
        {name ? <>Subscription {name} is paused.</> : 'A subscription is paused.'} A resume now would bill this. It is
        not part of the total above.
      </Text>
      <Bill bill={part} describe={describe} empty="Nothing" />
    </Stack>
  );
}

function keyOf({ subscription_id, period_start }: DraftPart): string {
  return `${subscription_id} ${period_start}`;
}
