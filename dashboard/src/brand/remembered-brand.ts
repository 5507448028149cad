import type { Brand } from './brand.ts';
import { isColor } from './colors.ts';

const storageKey = 'brand';

/** The brand of the client that last signed in here, shown on the sign-in pages. Null after a member or nobody. */
export function loadRememberedBrand(): Brand | null {
  try {
    const { name, logo, accent } = JSON.parse(localStorage.getItem(storageKey) ?? 'null') as Record<keyof Brand, unknown>;
    if (typeof name !== 'string') return null;
    return {
      name,
      logo: typeof logo === 'string' && logo.startsWith('/logos/') ? logo : null,
      accent: typeof accent === 'string' && isColor(accent) ? accent : null,
    };
  } catch {
    return null;
  }
}

export function rememberBrand(brand: Brand | null): void {
  if (brand === null) localStorage.removeItem(storageKey);
  else localStorage.setItem(storageKey, JSON.stringify(brand));
}
