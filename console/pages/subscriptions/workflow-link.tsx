import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { recordQuery } from '../../api/queries.ts';

/** The way to a subscription's workflow in Temporal's own pages, where the service knows them; else its id. */
export function WorkflowLink({ id }: { id: string }) {
  const { data } = useQuery(
    recordQuery('/api/subscriptions/{subscription_id}/workflow', { path: { subscription_id: id } }),
  );
  if (!data) return null;
  if (data.url === null) {
    return (
      <Text size="sm" c="dimmed">
        Workflow {data.workflow_id}
      </Text>
    );
  }
  return (
    <Anchor href={data.url} target="_blank" rel="noreferrer" size="sm">
      Temporal workflow
    </Anchor>
  );
}
