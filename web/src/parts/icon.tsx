// Draws an icon of the page.
import { ICON_PATHS, type IconName } from './icon-paths.ts';

interface IconProps {
  readonly name: IconName;
  /** In pixels. */
  readonly size?: number;
  readonly class?: string;
}

/** Decoration only: the element around it has the label. */
export function Icon({ name, size = 16, class: className = '' }: IconProps) {
  return (
    <svg
      class={`icon ${className}`}
      width={size}
      height={size}
      viewBox="0 0 16 16"
      aria-hidden="true"
      focusable="false"
    >
      <path d={ICON_PATHS[name]} />
    </svg>
  );
}
