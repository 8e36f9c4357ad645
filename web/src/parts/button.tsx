// Buttons of the page.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from './icon.tsx';
import type { IconName } from './icon-paths.ts';

interface IconButtonProps {
  readonly icon: IconName;
  /** Read by screen readers and shown as a tooltip. */
  readonly label: string;
  readonly onClick: (event: MouseEvent) => void;
  readonly class?: string;
  readonly id?: string;
  readonly isPressed?: boolean;
  /** For a button that opens a menu. */
  readonly isExpanded?: boolean;
  readonly isDisabled?: boolean;
  readonly badge?: string | number | undefined;
}

export function IconButton({
  icon,
  label,
  onClick,
  class: className = '',
  id,
  isPressed,
  isExpanded,
  isDisabled,
  badge,
}: IconButtonProps) {
  return (
    <button
      type="button"
      id={id}
      class={`icon-button ${className}`}
      aria-label={label}
      title={label}
      aria-pressed={isPressed}
      aria-haspopup={isExpanded === undefined ? undefined : 'menu'}
      aria-expanded={isExpanded}
      disabled={isDisabled}
      onClick={onClick}
    >
      <Icon name={icon} />
      {badge === undefined ? null : (
        <span class="badge" aria-hidden="true">
          {badge}
        </span>
      )}
    </button>
  );
}

interface CopyButtonProps {
  readonly getText: () => string;
  readonly label: string;
  readonly children?: ComponentChildren;
  readonly class?: string;
}

const COPIED_MS = 1500;

/** Says for a moment that the text was copied. */
export function CopyButton({ getText, label, children, class: className = '' }: CopyButtonProps) {
  const [isCopied, setIsCopied] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async () => {
    await copyText(getText());
    setIsCopied(true);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setIsCopied(false), COPIED_MS);
  };
  return (
    <button
      type="button"
      class={`${children ? 'button small' : 'icon-button'} ${className}`}
      aria-label={isCopied ? 'Copied' : label}
      title={label}
      onClick={() => void copy()}
    >
      <Icon name={isCopied ? 'check' : 'copy'} size={children ? 14 : 16} />
      {children ? <span>{isCopied ? 'Copied' : children}</span> : null}
    </button>
  );
}

/** The clipboard of the browser needs HTTPS or loopback; otherwise a hidden text field is used. */
async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(text);
    return;
  }
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'visually-hidden';
  document.body.append(field);
  field.select();
  document.execCommand('copy');
  field.remove();
}
