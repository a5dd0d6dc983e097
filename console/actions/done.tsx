import { Button, CopyButton, Group, Modal, Text, TextInput } from '@mantine/core';
import { wordsOf } from '../parts/words.ts';

/** What an answer has that no other will ever have: by which action it came, the field's name, its text. */
export type Secret = { name: string; field: string; value: string };

/** Shows what is told this once. */
export function Done({ of: { name, field, value }, onClose }: { of: Secret; onClose: () => void }) {
  return (
    <Modal
      opened
      onClose={onClose}
      title={name}
      size="lg"
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Text size="sm" mb="sm">
        Copy it: it is not shown again.
      </Text>
      <TextInput label={wordsOf(field)} value={value} readOnly styles={{ input: { fontFamily: 'monospace' } }} />
      <Group justify="flex-end" mt="md">
        {/* Browsers have it for pages by https and of this machine alone. */}
        {window.isSecureContext && (
          <CopyButton value={value}>
            {({ copied, copy }) => (
              <Button variant="default" onClick={copy}>
                {copied ? 'Copied' : 'Copy'}
              </Button>
            )}
          </CopyButton>
        )}
        <Button onClick={onClose}>Close</Button>
      </Group>
    </Modal>
  );
}
