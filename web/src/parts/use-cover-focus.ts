// Moves the focus into an element while it covers the page, and back when it has closed.
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

export function useCoverFocus<E extends HTMLElement>(isCovering: boolean): RefObject<E | null> {
  const element = useRef<E>(null);
  useLayoutEffect(() => {
    if (!isCovering) return;
    const before = document.activeElement;
    element.current?.focus();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, [isCovering]);
  return element;
}
