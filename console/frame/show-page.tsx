import { MantineProvider } from '@mantine/core';
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { AGAIN_MS, isTemporary } from '../api/failure.ts';
import { contrastingColors, theme } from './theme.ts';

/** A read that failed for a moment is tried again this often before its page says so. */
const READ_RETRIES = 2;
/** What was read is shown again without asking for this long, in milliseconds. */
const FRESH_MS = 5_000;

/** Keeps what a page has read; `onError` hears of each call that failed for good, and of a read what it was of. */
export function createQueries(onError: (error: Error, key: readonly unknown[]) => void): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({ onError: (error, { queryKey }) => onError(error, queryKey) }),
    mutationCache: new MutationCache({ onError: (error) => onError(error, []) }),
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        retry: (count, error) => count < READ_RETRIES && isTemporary(error),
        refetchInterval: ({ state: { error } }) => isTemporary(error) && AGAIN_MS,
      },
    },
  });
}

/** Puts what a page shows into the document that it has been loaded by: in our look, whose styles carry the answer's nonce. */
export function showPage(queries: QueryClient, content: ReactNode): void {
  createRoot(document.getElementById('root') as HTMLElement).render(
    <MantineProvider
      theme={theme}
      cssVariablesResolver={contrastingColors}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce()}
    >
      <QueryClientProvider client={queries}>{content}</QueryClientProvider>
    </MantineProvider>,
  );
}

/** The one of this answer, which its policy allows styles by. */
function nonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '';
}
