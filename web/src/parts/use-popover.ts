// A list that a button opens. Escape, and a press or the focus outside of it, close the list.
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

export function usePopover() {
  const [isOpen, setIsOpen] = useState(false);
  /** Contains the button and the list. */
  const root = useRef<HTMLDivElement>(null);
  const close = () => {
    setIsOpen(false);
    root.current?.querySelector('button')?.focus();
  };
  useLayoutEffect(() => {
    if (!isOpen) return;
    const isInside = ({ target }: Event) => root.current?.contains(target as Node) === true;
    const closeOutside = (event: Event) => {
      if (!isInside(event)) setIsOpen(false);
    };
    const closeByKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || !isInside(event)) return;
      // Without an open list, Escape aborts the run.
      event.stopPropagation();
      close();
    };
    addEventListener('pointerdown', closeOutside);
    addEventListener('focusin', closeOutside);
    addEventListener('keydown', closeByKey, { capture: true });
    return () => {
      removeEventListener('pointerdown', closeOutside);
      removeEventListener('focusin', closeOutside);
      removeEventListener('keydown', closeByKey, { capture: true });
    };
  }, [isOpen]);
  return { root, isOpen, setIsOpen, close };
}
