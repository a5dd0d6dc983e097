import { Text } from '@mantine/core';
import { AnchorLink } from '../parts/anchor-link.tsx';
import { PageHead } from '../parts/page-head.tsx';

export function NotFoundPage() {
  return (
    <>
      <PageHead title="Not found" />
      <Text>
        There is nothing at this address.{' '}
        <AnchorLink to="/" inherit underline="always">
          Overview
        </AnchorLink>
      </Text>
    </>
  );
}
