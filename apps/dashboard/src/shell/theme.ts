import { signal } from '@preact/signals';

export type Theme = 'auto' | 'light' | 'dark';

const slot = 'plimsoll.theme';

/** The user's choice. */
export const theme = signal<Theme>('auto');
/** The shown theme. Charts redraw when it changes. */
export const shownTheme = signal<'light' | 'dark'>('light');

/** Kept in a variable, because otherwise the query may be collected with its listener. */
let dark: MediaQueryList | undefined;

function show(): void {
  shownTheme.value = theme.value === 'auto' ? (dark?.matches === true ? 'dark' : 'light') : theme.value;
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
  dark = matchMedia('(prefers-color-scheme: dark)');
  dark.addEventListener('change', show);
  show();
}
