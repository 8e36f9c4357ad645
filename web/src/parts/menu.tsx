// A button that opens a list of actions. Arrow keys move, Escape closes.
import { useLayoutEffect, useRef } from 'preact/hooks';
import { IconButton } from './button.tsx';
import { Icon } from './icon.tsx';
import type { IconName } from './icon-paths.ts';
import { usePopover } from './use-popover.ts';

export interface MenuItem {
  readonly label: string;
  readonly icon: IconName;
  readonly onSelect: () => void;
  readonly isDangerous?: boolean;
}

interface MenuProps {
  readonly label: string;
  readonly items: readonly MenuItem[];
}

export function Menu({ label, items }: MenuProps) {
  const { root, isOpen, setIsOpen, close } = usePopover();
  const list = useRef<HTMLDivElement>(null);
  // Before the next key: it must reach the list.
  useLayoutEffect(() => {
    if (isOpen) list.current?.querySelector('button')?.focus();
  }, [isOpen]);
  return (
    <div class="menu" ref={root}>
      <IconButton icon="more" label={label} isExpanded={isOpen} onClick={() => setIsOpen(!isOpen)} />
      {isOpen ? (
        <div class="menu-list" role="menu" aria-label={label} ref={list} onKeyDown={moveFocus}>
          {items.map(({ label: text, icon, onSelect, isDangerous }) => (
            <button
              type="button"
              role="menuitem"
              key={text}
              class={isDangerous ? 'dangerous' : ''}
              onClick={() => {
                close();
                onSelect();
              }}
            >
              <Icon name={icon} />
              {text}
            </button>
          ))}
        </div>
      ) : null}
    </div>
  );
}

function moveFocus(event: KeyboardEvent): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (step === 0) return;
  event.preventDefault();
  const buttons = [...((event.currentTarget as HTMLElement).querySelectorAll('button') ?? [])];
  const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
  buttons[(at + step + buttons.length) % buttons.length]?.focus();
}
