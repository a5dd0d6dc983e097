import { MantineProvider } from '@mantine/core';
import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import { Failure } from '../api/failure.ts';
import { createAppRouter } from '../router.tsx';
import { currentPath } from './own-path.ts';
import { contrastingColors, theme } from './theme.ts';

/** A read that failed for a moment is tried again this often. */
const READ_RETRIES = 2;
/** What was read is shown again without asking for this long, in milliseconds. */
const FRESH_MS = 5_000;

/** Puts the console on the page that it has been loaded by. */
export function startConsole(): void {
  const queries = new QueryClient({
    queryCache: new QueryCache({ onError: (error) => void logInAgain(error) }),
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        retry: (count, error) => count < READ_RETRIES && error instanceof Failure && error.isTemporary,
      },
    },
  });
  const router = createAppRouter(queries);

  /** A session that has ended leads to the log-in, and back to the same page after it. */
  async function logInAgain(error: Error): Promise<void> {
    if (!(error instanceof Failure) || error.status !== 401 || router.state.location.pathname === '/login') return;
    await router.navigate({ to: '/login', search: { next: currentPath() } });
    queries.clear();
  }

  createRoot(document.getElementById('root') as HTMLElement).render(
    <MantineProvider
      theme={theme}
      cssVariablesResolver={contrastingColors}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce()}
    >
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>,
  );
}

/** The one of this answer, which its policy allows styles by. */
function nonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '';
}
