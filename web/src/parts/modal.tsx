// A dialog of the page in front of everything else. The browser keeps the focus inside and closes it with Escape.
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { IconButton } from './button.tsx';

interface ModalProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  readonly class?: string;
}

export function Modal({ title, onClose, children, class: className = '' }: ModalProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const close = () => dialog.current?.close();
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    // Closing gives the focus back to the element that had it before.
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      class={`modal ${className}`}
      aria-label={title}
      onClose={onClose}
      onMouseDown={(event) => {
        if (event.target === dialog.current) close();
      }}
    >
      <div class="modal-body">
        <header class="modal-head">
          <h2>{title}</h2>
          <IconButton icon="close" label="Close" onClick={close} />
        </header>
        {children}
      </div>
    </dialog>
  );
}
