// Moves the focus to an element when it appears, because the user has just asked for it.
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

export function useFocus<E extends HTMLElement>(): RefObject<E | null> {
  const element = useRef<E>(null);
  useEffect(() => element.current?.focus(), []);
  return element;
}
