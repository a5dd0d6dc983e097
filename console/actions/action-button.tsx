import { Button, type ButtonProps } from '@mantine/core';
import { useState } from 'react';
import type { Scope } from '../api/session.ts';
import { useMay } from '../frame/scopes.ts';
import type { Action } from './action.ts';
import { ActionDialog } from './action-dialog.tsx';
import { useShowSecret } from './secrets.tsx';

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
  const showSecret = useShowSecret();
  if (!may) return null;
  const { name, subject } = action;
  const show = (field: string) => (answer: unknown) => {
    setOpen(false);
    showSecret({ name, field, value: String((answer as Record<string, unknown>)[field]) });
  };
  const done = (answer: unknown) => {
    setOpen(false);
    onDone?.(answer);
  };
  return (
    <>
      <Button size="xs" variant="default" title={subject} {...button} onClick={() => setOpen(true)}>
        {name}
      </Button>
      {isOpen && (
        <ActionDialog
          action={action}
          onClose={() => setOpen(false)}
          onDone={done}
          onAnswer={secret === undefined ? undefined : show(secret)}
        />
      )}
    </>
  );
}
