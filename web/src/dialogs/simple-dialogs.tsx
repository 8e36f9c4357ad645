// Dialogs with a list, a yes-or-no question, a line of text, or a longer text.
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Markdown } from '../markdown/markdown.tsx';
import { Icon } from '../parts/icon.tsx';
import type { DialogRequest } from '../store/session-view.ts';

interface DialogProps<M extends DialogRequest['method']> {
  readonly dialog: Extract<DialogRequest, { method: M }>;
  readonly onAnswer: (answer: object) => void;
}

interface DialogFrameProps {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly timeout?: number | undefined;
  readonly class?: string;
}

/** Other content is not blocked: the user can read on before answering. */
export function DialogFrame({ title, children, timeout, class: className = '' }: DialogFrameProps) {
  return (
    <section class={`dialog ${className}`} role="group" aria-label={title} data-dialog tabIndex={-1}>
      <header>
        <Icon name="question" />
        <h2>{title}</h2>
        {timeout === undefined ? null : <Countdown ms={timeout} />}
      </header>
      {children}
    </section>
  );
}

function Countdown({ ms }: { readonly ms: number }) {
  const [left, setLeft] = useState(Math.ceil(ms / 1000));
  useEffect(() => {
    const end = Date.now() + ms;
    const timer = setInterval(() => setLeft(Math.max(0, Math.ceil((end - Date.now()) / 1000))), 1000);
    return () => clearInterval(timer);
  }, [ms]);
  return <span class="quiet">{left} s</span>;
}

export function SelectDialog({ dialog, onAnswer }: DialogProps<'select'>) {
  const { title, message, options, timeout } = dialog;
  return (
    <DialogFrame title={title} timeout={timeout}>
      {message ? <Markdown text={message} /> : null}
      <div class="choices">
        {options.map((option) => (
          <button key={option} type="button" class="button" onClick={() => onAnswer({ value: option })}>
            {option}
          </button>
        ))}
        <DismissButton onAnswer={onAnswer} />
      </div>
    </DialogFrame>
  );
}

export function ConfirmDialog({ dialog, onAnswer }: DialogProps<'confirm'>) {
  const { title, message, timeout } = dialog;
  return (
    <DialogFrame title={title} timeout={timeout}>
      {message ? <Markdown text={message} /> : null}
      <div class="choices">
        <button type="button" class="button primary" onClick={() => onAnswer({ confirmed: true })}>
          Yes
        </button>
        <button type="button" class="button" onClick={() => onAnswer({ confirmed: false })}>
          No
        </button>
        <DismissButton onAnswer={onAnswer} />
      </div>
    </DialogFrame>
  );
}

export function InputDialog({ dialog, onAnswer }: DialogProps<'input'>) {
  const { title, placeholder, timeout } = dialog;
  const [value, setValue] = useState('');
  return (
    <DialogFrame title={title} timeout={timeout}>
      <form
        class="choices"
        onSubmit={(event) => {
          event.preventDefault();
          onAnswer({ value });
        }}
      >
        <input
          type="text"
          class="field"
          value={value}
          placeholder={placeholder}
          aria-label={title}
          onInput={(event) => setValue(event.currentTarget.value)}
        />
        <button type="submit" class="button primary">
          Answer
        </button>
        <DismissButton onAnswer={onAnswer} />
      </form>
    </DialogFrame>
  );
}

export function EditorDialog({ dialog, onAnswer }: DialogProps<'editor'>) {
  const [value, setValue] = useState(dialog.prefill ?? '');
  return (
    <DialogFrame title={dialog.title}>
      <textarea
        class="field"
        rows={8}
        value={value}
        aria-label={dialog.title}
        onInput={(event) => setValue(event.currentTarget.value)}
      />
      <div class="choices">
        <button type="button" class="button primary" onClick={() => onAnswer({ value })}>
          Save
        </button>
        <DismissButton onAnswer={onAnswer} />
      </div>
    </DialogFrame>
  );
}

/** The agent uses its default when all clients have dismissed the question. */
function DismissButton({ onAnswer }: { readonly onAnswer: (answer: object) => void }) {
  return (
    <button type="button" class="text-button" onClick={() => onAnswer({ cancelled: true })}>
      Dismiss
    </button>
  );
}
