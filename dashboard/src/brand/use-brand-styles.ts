import { useLayoutEffect } from 'react';
import type { Brand } from './brand.ts';
import { lookOf } from './look.ts';

const nothing = 'data:,';

/** Has every page look as the brand does, its icon in the browser's tab too, as long as the component is there. */
export function useLook(brand: Brand | null): void {
  const accent = brand?.accent ?? null;
  const icon = brand && (brand.logo ?? nothing);

  useLayoutEffect(() => {
    if (accent === null) return;
    const { style } = document.documentElement;
    const look = Object.entries(lookOf(accent));
    // By script object, not as an attribute, which the pages' policy forbids.
    for (const [name, value] of look) style.setProperty(name, value);
    return () => {
      for (const [name] of look) style.removeProperty(name);
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
