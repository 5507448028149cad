import type { InEachLocale } from '../locale.ts';

/** Paths of the pages. They stay when a site is translated, so that links from elsewhere keep working. */
export const slugs: InEachLocale<Readonly<Record<'offers' | 'about' | 'contact' | 'imprint' | 'privacy', string>>> = {
  en: { offers: 'offers', about: 'about', contact: 'contact', imprint: 'legal', privacy: 'privacy' },
  de: { offers: 'angebot', about: 'ueber-uns', contact: 'kontakt', imprint: 'impressum', privacy: 'datenschutz' },
  fr: { offers: 'offre', about: 'a-propos', contact: 'contact', imprint: 'mentions-legales', privacy: 'confidentialite' },
  es: { offers: 'oferta', about: 'nosotros', contact: 'contacto', imprint: 'aviso-legal', privacy: 'privacidad' },
};
