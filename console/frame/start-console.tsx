import { RouterProvider } from '@tanstack/react-router';
import { Failure } from '../api/failure.ts';
import { createAppRouter } from '../router.tsx';
import { currentPath } from './own-path.ts';
import { createQueries, showPage } from './show-page.tsx';

/** Puts the console on the page that it has been loaded by. */
export function startConsole(): void {
  const queries = createQueries((error) => void logInAgain(error));
  const router = createAppRouter(queries);

  /** A session that has ended leads to the log-in, and back to the same page after it. */
  async function logInAgain(error: Error): Promise<void> {
    if (!(error instanceof Failure) || error.status !== 401 || router.state.location.pathname === '/login') return;
    await router.navigate({ to: '/login', search: { next: currentPath() } });
    queries.clear();
  }

  showPage(queries, <RouterProvider router={router} />);
}
