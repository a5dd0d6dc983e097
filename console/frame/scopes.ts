import { useSuspenseQuery } from '@tanstack/react-query';
import { type Scope, type Session, sessionQuery } from '../api/session.ts';

/** Who is logged in; pages within the frame are only shown to someone who is. */
export function useSession(): Session {
  return useSuspenseQuery(sessionQuery).data;
}

/** Whether the session's key has a scope: what it may not do is not offered. */
export function useMay(scope: Scope): boolean {
  return useSession().key.scopes.includes(scope);
}
