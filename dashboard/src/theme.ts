export type Theme = 'system' | 'light' | 'dark';

const stored = 'theme';
const isTheme = (value: string | null): value is Theme => value === 'system' || value === 'light' || value === 'dark';

/** The look that was chosen on this machine; `system` follows the system. */
export function chosenTheme(): Theme {
  const value = localStorage.getItem(stored);
  return isTheme(value) ? value : 'system';
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(stored, theme);
  showTheme();
}

export function showTheme(): void {
  document.documentElement.dataset.theme = chosenTheme();
}
