export type Theme = 'system' | 'light' | 'dark';

const storageKey = 'theme';
const isTheme = (value: string | null): value is Theme => value === 'system' || value === 'light' || value === 'dark';

/** The theme chosen in this browser; `system` follows the operating system. */
export function chosenTheme(): Theme {
  try {
    const value = localStorage.getItem(storageKey);
    return isTheme(value) ? value : 'system';
  } catch {
    // In a frame of another site browsers refuse storage.
    return 'system';
  }
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(storageKey, theme);
  showTheme();
}

export function showTheme(): void {
  document.documentElement.dataset.theme = chosenTheme();
}
