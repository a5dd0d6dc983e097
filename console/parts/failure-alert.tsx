import { Alert, Button, Code, Group, Text } from '@mantine/core';
import { Failure } from '../api/failure.ts';
import { wordsOf } from './words.ts';

const TITLES: Record<number, string> = { 403: 'Not allowed', 404: 'Not found' };

/** What went wrong, in the service's words, with the request id that support asks for. */
export function FailureAlert({ error, retry }: { error: Error; retry?: () => void }) {
  const failure = error instanceof Failure ? error : new Failure(0, error.message, null);
  const fields = Object.entries(failure.fields);
  return (
    <Alert color="red" variant="outline" role="alert" title={TITLES[failure.status] ?? 'That did not work'}>
      <Text size="sm">{failure.message}</Text>
      {fields.map(([name, errors]) => (
        <Text size="sm" key={name}>
          {wordsOf(name)}: {errors.join(' ')}
        </Text>
      ))}
      {failure.requestId && (
        <Text size="sm" mt="xs">
          Request <Code>{failure.requestId}</Code>
        </Text>
      )}
      {retry && (
        <Group mt="sm">
          <Button size="xs" variant="default" onClick={retry}>
            Try again
          </Button>
        </Group>
      )}
    </Alert>
  );
}
