import { createContext, type ReactNode, useContext, useState } from 'react';
import { Done, type Secret } from './done.tsx';

const Show = createContext<(secret: Secret) => void>(() => {});

/** Shows a secret until it is closed. */
export function useShowSecret(): (secret: Secret) => void {
  return useContext(Show);
}

/** Stands around all pages: a secret stays shown whatever becomes of the page that asked for it, even where the session ended by it. */
export function Secrets({ children }: { children: ReactNode }) {
  const [secret, show] = useState<Secret>();
  return (
    <Show.Provider value={show}>
      {children}
      {secret && <Done of={secret} onClose={() => show(undefined)} />}
    </Show.Provider>
  );
}
