import type { Brand } from './brand.ts';
import { isColor } from './colors.ts';

const stored = 'brand';

/** Whose client was signed in last in this browser, whom the pages before signing in belong to; null where it was a member, or nobody. */
export function rememberedBrand(): Brand | null {
  try {
    const { name, logo, accent } = JSON.parse(localStorage.getItem(stored) ?? 'null') as Record<keyof Brand, unknown>;
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
  if (brand === null) localStorage.removeItem(stored);
  else localStorage.setItem(stored, JSON.stringify(brand));
}
