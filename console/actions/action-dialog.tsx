import { Modal } from '@mantine/core';
import type { Action } from './action.ts';
import { ActionForm } from './action-form.tsx';
import { type OnAnswer, useAction } from './use-action.ts';

type ActionDialogProps = { action: Action; onClose: () => void; onDone: OnAnswer; onAnswer?: OnAnswer | undefined };

/** A write in a dialog of its name. What is entered goes by its buttons alone, not by a click beside it. */
export function ActionDialog({ action, onClose, onDone, onAnswer }: ActionDialogProps) {
  const state = useAction(action, onDone, onAnswer);
  return (
    <Modal
      opened
      onClose={onClose}
      title={action.name}
      size="lg"
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <ActionForm state={state} onCancel={onClose} />
    </Modal>
  );
}
