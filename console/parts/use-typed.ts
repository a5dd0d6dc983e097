import { useEffect, useRef, useState } from 'react';

/**
 * What is being typed into an input, and what of it has been applied. `current` is what holds: it replaces what is typed only where
 * something else has changed it, so that nothing is lost that was typed while the last of it was applied.
 */
export function useTyped(current: string, onApply: (text: string) => void) {
  const [typed, type] = useState(current);
  const applied = useRef(current);
  useEffect(() => {
    if (current === applied.current) return;
    applied.current = current;
    type(current);
  }, [current]);
  const apply = (text: string) => {
    applied.current = text;
    onApply(text);
  };
  return [typed, type, apply] as const;
}
