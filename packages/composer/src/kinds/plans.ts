import type { SectionName } from '../sections/names.ts';
import type { Family } from './kinds.ts';

/** The sections of each page, in order. The seed chooses one of the home pages. */
export interface Plan {
  readonly homes: readonly [readonly SectionName[], ...(readonly SectionName[])[]];
  readonly offers: readonly SectionName[];
  readonly about: readonly SectionName[];
  readonly contact: readonly SectionName[];
}

const story: readonly SectionName[] = ['pagehead', 'story', 'values', 'team'];

export const plans: Readonly<Record<Family, Plan>> = {
  food: {
    homes: [
      ['hero', 'offers', 'about', 'hours', 'banner'],
      ['hero', 'about', 'offers', 'gallery', 'hours'],
    ],
    offers: ['pagehead', 'menu', 'season', 'banner'],
    about: [...story, 'jobs'],
    contact: ['pagehead', 'contact', 'hours', 'visit'],
  },
  stay: {
    homes: [
      ['hero', 'about', 'offers', 'gallery', 'banner'],
      ['hero', 'offers', 'statement', 'about', 'banner'],
    ],
    offers: ['pagehead', 'offers', 'prices', 'vouchers'],
    about: ['pagehead', 'story', 'gallery', 'team'],
    contact: ['pagehead', 'booking', 'visit'],
  },
  shop: {
    homes: [
      ['hero', 'offers', 'statement', 'about', 'hours'],
      ['hero', 'about', 'offers', 'gallery', 'banner'],
    ],
    offers: ['pagehead', 'offers', 'season', 'vouchers'],
    about: story,
    contact: ['pagehead', 'contact', 'hours', 'visit'],
  },
  body: {
    homes: [
      ['hero', 'offers', 'about', 'firstvisit', 'banner'],
      ['hero', 'about', 'offers', 'gallery', 'banner'],
    ],
    offers: ['pagehead', 'offers', 'prices', 'vouchers'],
    about: ['pagehead', 'story', 'values', 'team', 'gallery'],
    contact: ['pagehead', 'booking', 'hours', 'visit'],
  },
  health: {
    homes: [
      ['hero', 'offers', 'firstvisit', 'about', 'banner'],
      ['hero', 'about', 'offers', 'firstvisit', 'hours'],
    ],
    offers: ['pagehead', 'offers', 'faq', 'banner'],
    about: story,
    contact: ['pagehead', 'contact', 'hours', 'visit'],
  },
  trade: {
    homes: [
      ['hero', 'offers', 'steps', 'about', 'banner'],
      ['hero', 'offers', 'about', 'features', 'banner'],
    ],
    offers: ['pagehead', 'offers', 'prices', 'faq'],
    about: [...story, 'jobs'],
    contact: ['pagehead', 'contact', 'area'],
  },
  office: {
    homes: [
      ['hero', 'offers', 'steps', 'about', 'banner'],
      ['hero', 'about', 'offers', 'features', 'banner'],
    ],
    offers: ['pagehead', 'offers', 'faq', 'prices'],
    about: story,
    contact: ['pagehead', 'contact', 'visit'],
  },
  studio: {
    homes: [
      ['hero', 'gallery', 'offers', 'statement', 'banner'],
      ['hero', 'about', 'gallery', 'offers', 'banner'],
    ],
    offers: ['pagehead', 'gallery', 'offers', 'steps'],
    about: ['pagehead', 'story', 'values', 'links'],
    contact: ['pagehead', 'contact', 'visit'],
  },
  product: {
    homes: [
      ['hero', 'offers', 'about', 'steps', 'faq', 'banner'],
      ['hero', 'features', 'offers', 'about', 'faq', 'banner'],
    ],
    offers: ['pagehead', 'offers', 'features', 'prices'],
    about: [...story, 'jobs'],
    contact: ['pagehead', 'contact', 'newsletter'],
  },
  group: {
    homes: [
      ['hero', 'about', 'offers', 'dates', 'banner'],
      ['hero', 'offers', 'dates', 'about', 'newsletter'],
    ],
    offers: ['pagehead', 'offers', 'dates', 'news'],
    about: story,
    contact: ['pagehead', 'contact', 'visit'],
  },
};
