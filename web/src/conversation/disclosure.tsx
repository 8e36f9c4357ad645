// A part that can be expanded. Its state is kept while it is not on the screen.
import type { ComponentChildren } from 'preact';
import { Icon } from '../parts/icon.tsx';
import { useExpanded } from './conversation-context.ts';

interface DisclosureProps {
  readonly id: string;
  readonly summary: ComponentChildren;
  readonly children: () => ComponentChildren;
  readonly isInitiallyOpen?: boolean;
  readonly class?: string;
}

export function Disclosure({ id, summary, children, isInitiallyOpen = false, class: className = '' }: DisclosureProps) {
  const [isOpen, setIsOpen] = useExpanded(id, isInitiallyOpen);
  return (
    <div class={`disclosure ${isOpen ? 'open' : ''} ${className}`}>
      <button type="button" class="disclosure-head" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        <Icon name="chevronRight" size={12} class="chevron" />
        {summary}
      </button>
      {isOpen ? <div class="disclosure-body">{children()}</div> : null}
    </div>
  );
}
