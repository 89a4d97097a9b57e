import { signal } from '@preact/signals';

export type Theme = 'auto' | 'light' | 'dark';

const slot = 'plimsoll.theme';
const dark = (): MediaQueryList => matchMedia('(prefers-color-scheme: dark)');

/** What the reader asked for. */
export const theme = signal<Theme>('auto');
/** What is shown; charts redraw when it changes. */
export const shownTheme = signal<'light' | 'dark'>('light');

function show(): void {
  shownTheme.value = theme.value === 'auto' ? (dark().matches ? 'dark' : 'light') : theme.value;
  document.documentElement.dataset['theme'] = shownTheme.value;
}

export function setTheme(next: Theme): void {
  theme.value = next;
  localStorage.setItem(slot, next);
  show();
}

export function startTheme(): void {
  const kept = localStorage.getItem(slot);
  if (kept === 'light' || kept === 'dark') theme.value = kept;
  dark().addEventListener('change', show);
  show();
}
