import { Button, Fieldset, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Failure } from '../api/failure.ts';
import { useKeptInput, useSessionOver } from '../frame/kept-input.ts';
import { SessionOver } from '../frame/session-over.tsx';
import { FailureAlert } from '../parts/failure-alert.tsx';
import { Fields } from './form-fields.tsx';
import { Review } from './review.tsx';
import type { ActionState } from './use-action.ts';

type ActionFormProps = { state: ActionState; onCancel: () => void; children?: ReactNode };

/** The form of a write: its fields (`children`, where they are laid out otherwise), then its review. */
export function ActionForm({ state, onCancel, children }: ActionFormProps) {
  const { action, isReview, isSending, error, body, preview } = state;
  useKeptInput();
  const isOver = useSessionOver();
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        state.submit();
      }}
    >
      <Stack>
        {action.subject && <Text fw={600}>{action.subject}</Text>}
        {action.about && <Text size="sm">{action.about}</Text>}
        {isReview ? (
          <Review action={action} body={body} preview={preview} />
        ) : (
          // What is being judged stays as it is.
          <Fieldset variant="unstyled" disabled={isSending} miw={0}>
            {children ?? (
              <Stack>
                <Fields of={action.fields ?? []} state={state} />
              </Stack>
            )}
          </Fieldset>
        )}
        {isOver && <SessionOver />}
        {error && !(error instanceof Failure && error.status === 401) && <FailureAlert error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={() => (isReview ? state.back() : onCancel())}>
            {isReview ? 'Back' : 'Cancel'}
          </Button>
          <Button type="submit" loading={isSending} color={action.isFinal && isReview ? 'red' : undefined}>
            {isReview ? 'Confirm' : 'Review'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
