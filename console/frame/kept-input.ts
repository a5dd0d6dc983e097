import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Failure } from '../api/failure.ts';
import { sessionQuery } from '../api/session.ts';

/** Forms that are open. */
let forms = 0;

/** What is entered in a form is not lost while it is open: no end of a session leads away from it. */
export function useKeptInput(): void {
  useEffect(() => {
    forms += 1;
    return () => {
      forms -= 1;
    };
  }, []);
}

export function isInputKept(): boolean {
  return forms > 0;
}

/** Whether the session is over, and nobody has logged in again since. */
export function useSessionOver(): boolean {
  const { error } = useQuery(sessionQuery);
  return error instanceof Failure && error.status === 401;
}
