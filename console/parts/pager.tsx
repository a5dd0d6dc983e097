import { Group, Text } from '@mantine/core';
import type { Page } from '../api/queries.ts';
import { useAddress } from './address.ts';
import { AnchorLink } from './anchor-link.tsx';
import { Quantity } from './numbers.tsx';

type PagerProps = {
  page: Page<unknown>;
  /** The address's words for the number of the page and the place behind which it begins, where several lists have pages. */
  by?: string;
  after?: string;
};

/** The place behind which the page of this address begins. */
function placeIn(next: string): string {
  return new URL(next).searchParams.get('after') ?? '';
}

/** How many there are, and the ways to the pages before and after. */
export function Pager({ page, by = 'page', after = 'after' }: PagerProps) {
  const [{ [after]: _place, ...address }] = useAddress();
  const number = Number(address[by] ?? 1);
  if (page.count === 0) return null;
  return (
    <Group justify="space-between" mt="md">
      <Text size="sm" c="dimmed">
        <Quantity value={page.count} />
        {page.count_is_capped ? ' or more' : ''} in all
      </Text>
      <Group gap="md">
        {page.previous && (
          <AnchorLink to="." search={{ ...address, [by]: String(number - 1) }} size="sm">
            Previous
          </AnchorLink>
        )}
        {page.next && (
          <AnchorLink to="." search={{ ...address, [by]: String(number + 1), [after]: placeIn(page.next) }} size="sm">
            Next
          </AnchorLink>
        )}
      </Group>
    </Group>
  );
}
