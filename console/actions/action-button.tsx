import { Button, type ButtonProps } from '@mantine/core';
import { useState } from 'react';
import type { Scope } from '../api/session.ts';
import { useMay } from '../frame/scopes.ts';
import type { Action } from './action.ts';
import { ActionDialog } from './action-dialog.tsx';
import { Done } from './done.tsx';

type ActionButtonProps = ButtonProps & {
  action: Action;
  needs?: Scope;
  /** Where to go once it is done, such as to what was made. */
  onDone?: (answer: unknown) => void;
  /** The field of the answer that is shown once and never again. */
  secret?: string;
};

/** A button that offers a write, to whoever may make it. */
export function ActionButton({ action, needs = 'write', onDone, secret, ...button }: ActionButtonProps) {
  const may = useMay(needs);
  const [isOpen, setOpen] = useState(false);
  const [answer, setAnswer] = useState<unknown>();
  if (!may) return null;
  const done = (answered: unknown) => {
    setOpen(false);
    if (secret !== undefined) setAnswer(answered);
    else onDone?.(answered);
  };
  return (
    <>
      <Button size="xs" variant="default" {...button} onClick={() => setOpen(true)}>
        {action.name}
      </Button>
      {isOpen && <ActionDialog action={action} onClose={() => setOpen(false)} onDone={done} />}
      {answer !== undefined && (
        <Done name={action.name} answer={answer} secret={secret ?? ''} onClose={() => setAnswer(undefined)} />
      )}
    </>
  );
}
