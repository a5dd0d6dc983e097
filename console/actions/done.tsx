import { Button, CopyButton, Group, Modal, Text, TextInput } from '@mantine/core';
import { wordsOf } from '../parts/words.ts';

type DoneProps = { name: string; answer: unknown; secret: string; onClose: () => void };

/** Shows what an answer has that no other will ever have. */
export function Done({ name, answer, secret, onClose }: DoneProps) {
  const value = String((answer as Record<string, unknown>)[secret]);
  return (
    <Modal opened onClose={onClose} title={name} size="lg" closeButtonProps={{ 'aria-label': 'Close' }}>
      <Text size="sm" mb="sm">
        Copy it: it is not shown again.
      </Text>
      <TextInput label={wordsOf(secret)} value={value} readOnly styles={{ input: { fontFamily: 'monospace' } }} />
      <Group justify="flex-end" mt="md">
        <CopyButton value={value}>
          {({ copied, copy }) => (
            <Button variant="default" onClick={copy}>
              {copied ? 'Copied' : 'Copy'}
            </Button>
          )}
        </CopyButton>
        <Button onClick={onClose}>Close</Button>
      </Group>
    </Modal>
  );
}
