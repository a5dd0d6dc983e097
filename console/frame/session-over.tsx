import { Alert, Anchor } from '@mantine/core';

/** Says to whoever is entering something how to go on with it. */
export function SessionOver() {
  return (
    <Alert color="red" variant="outline" role="alert" title="Your session has ended">
      What is entered here stays.{' '}
      <Anchor href="/console/login" target="_blank" inherit>
        Log in
      </Anchor>{' '}
      in another window, by the same key, and go on here.
    </Alert>
  );
}
