import { useLayoutEffect } from 'react';
import type { Brand } from './brand.ts';
import { brandTokens } from './brand-tokens.ts';

const emptyIcon = 'data:,';

/** Applies the brand's colors and tab icon to the whole page while the component is mounted. */
export function useBrandStyles(brand: Brand | null): void {
  const accent = brand?.accent ?? null;
  const icon = brand && (brand.logo ?? emptyIcon);

  useLayoutEffect(() => {
    if (accent === null) return;
    const { style } = document.documentElement;
    const tokens = Object.entries(brandTokens(accent));
    // setProperty, because the Content-Security-Policy forbids style attributes.
    for (const [name, value] of tokens) style.setProperty(name, value);
    return () => {
      for (const [name] of tokens) style.removeProperty(name);
    };
  }, [accent]);

  useLayoutEffect(() => {
    const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
    if (link === null || icon === null) return;
    const { href, type } = link;
    link.removeAttribute('type');
    link.href = icon;
    return () => {
      link.type = type;
      link.href = href;
    };
  }, [icon]);
}
