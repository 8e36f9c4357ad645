// Light and dark: as the system says, or as the user has chosen.
import { effect, signal } from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark';

const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

function readTheme(): Theme {
  const stored = localStorage.getItem('theme');
  return THEMES.find((theme) => theme === stored) ?? 'system';
}

export const theme = signal<Theme>(readTheme());

export function cycleTheme(): void {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? 'system';
}

export function startTheme(): void {
  effect(() => {
    localStorage.setItem('theme', theme.value);
    if (theme.value === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme.value;
  });
}
