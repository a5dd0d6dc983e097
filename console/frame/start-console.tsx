import { RouterProvider } from '@tanstack/react-router';
import { Secrets } from '../actions/secrets.tsx';
import { Failure } from '../api/failure.ts';
import { onSessionElsewhere, sessionQuery } from '../api/session.ts';
import { createAppRouter } from '../router.tsx';
import { isInputKept } from './kept-input.ts';
import { currentPath } from './own-path.ts';
import { createQueries, showPage } from './show-page.tsx';

const { queryKey } = sessionQuery;

/** Puts the console on the page that it has been loaded by. */
export function startConsole(): void {
  const queries = createQueries((error) => {
    if (!(error instanceof Failure)) return;
    if (error.status === 401) void logInAgain();
    else if (error.code === 'csrf_failed') void renewSession();
  });
  const router = createAppRouter(queries);

  /** A session that has ended leads to the log-in, and back to the same page after it; while something is entered it only says so. */
  async function logInAgain(): Promise<void> {
    if (router.state.location.pathname === '/login') return;
    if (isInputKept()) {
      if (queries.getQueryState(queryKey)?.status !== 'error') await queries.refetchQueries({ queryKey });
      return;
    }
    await router.navigate({ to: '/login', search: { next: currentPath() } });
    queries.clear();
  }

  /** Another window has logged in, or out: what this one shows is asked for again, under the session as it is. */
  async function renewSession(): Promise<void> {
    const before = queries.getQueryData(queryKey)?.csrf_token;
    await queries.refetchQueries({ queryKey });
    if (queries.getQueryData(queryKey)?.csrf_token !== before) await queries.invalidateQueries();
  }

  onSessionElsewhere(() => void renewSession());
  showPage(
    queries,
    <Secrets>
      <RouterProvider router={router} />
    </Secrets>,
  );
}
