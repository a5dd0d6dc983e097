import { Modal } from '@mantine/core';
import type { Action } from './action.ts';
import { ActionForm } from './action-form.tsx';
import { useAction } from './use-action.ts';

type ActionDialogProps = { action: Action; onClose: () => void; onDone: (answer: unknown) => void };

/** A write in a dialog of its name. */
export function ActionDialog({ action, onClose, onDone }: ActionDialogProps) {
  const state = useAction(action, onDone);
  return (
    <Modal opened onClose={onClose} title={action.name} size="lg" closeButtonProps={{ 'aria-label': 'Close' }}>
      <ActionForm state={state} onCancel={onClose} />
    </Modal>
  );
}
