import { Badge } from '@mantine/core';
import { wordsOf } from './words.ts';

const COLORS: Record<string, string> = {
  ...{
    active: 'green',
    paid: 'green',
    succeeded: 'green',
    landed: 'green',
    ready: 'green',
    done: 'green',
    allowed: 'green',
    connected: 'green',
    whole: 'green',
  },
  ...{ open: 'blue', pending: 'blue', draft: 'blue', queued: 'blue', advancing: 'blue', planned: 'blue' },
  ...{ paused: 'yellow', uncollectible: 'orange', past_due: 'red', failed: 'red', dead_lettered: 'red', bent: 'red' },
  ...{ limit_reached: 'red', refused: 'red', not_in_plan: 'gray', no_subscription: 'gray' },
};

/** A state of a record, in the API's word. */
export function Status({ of: status }: { of: string }) {
  return (
    <Badge variant="dot" color={COLORS[status] ?? 'gray'} tt="none" fw={500} miw="max-content">
      {wordsOf(status)}
    </Badge>
  );
}
