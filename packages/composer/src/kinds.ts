import type { SectionName } from './sections/section-names.ts';
import type { ThemeName } from './themes/theme.ts';

export const kindNames = [
  'bakery',
  'restaurant',
  'cafe',
  'bar',
  'hotel',
  'winery',
  'florist',
  'bookshop',
  'hairdresser',
  'spa',
  'yoga',
  'gym',
  'dentist',
  'physiotherapist',
  'vet',
  'plumber',
  'electrician',
  'carpenter',
  'gardener',
  'garage',
  'lawyer',
  'tax',
  'architect',
  'photographer',
  'software',
  'association',
  'business',
] as const;
export type KindName = (typeof kindNames)[number];

export type Family = 'food' | 'stay' | 'shop' | 'body' | 'health' | 'trade' | 'office' | 'studio' | 'product' | 'group';

export interface Kind {
  /** Kinds of a family have the same pages and sections. */
  readonly family: Family;
  /** The themes that suit the kind; the seed chooses one. */
  readonly themes: readonly [ThemeName, ThemeName, ...ThemeName[]];
}

export const kinds: Readonly<Record<KindName, Kind>> = {
  bakery: { family: 'food', themes: ['craft', 'editorial', 'poster'] },
  restaurant: { family: 'food', themes: ['editorial', 'quiet', 'craft', 'night'] },
  cafe: { family: 'food', themes: ['playful', 'craft', 'poster', 'editorial'] },
  bar: { family: 'food', themes: ['night', 'poster', 'quiet'] },
  hotel: { family: 'stay', themes: ['quiet', 'botanical', 'editorial'] },
  winery: { family: 'stay', themes: ['botanical', 'editorial', 'quiet'] },
  florist: { family: 'shop', themes: ['botanical', 'quiet', 'playful', 'craft'] },
  bookshop: { family: 'shop', themes: ['editorial', 'poster', 'craft'] },
  hairdresser: { family: 'body', themes: ['poster', 'quiet', 'swiss', 'playful'] },
  spa: { family: 'body', themes: ['quiet', 'botanical', 'craft'] },
  yoga: { family: 'body', themes: ['botanical', 'craft', 'quiet'] },
  gym: { family: 'body', themes: ['poster', 'night', 'swiss'] },
  dentist: { family: 'health', themes: ['clear', 'swiss', 'playful'] },
  physiotherapist: { family: 'health', themes: ['clear', 'swiss', 'botanical'] },
  vet: { family: 'health', themes: ['playful', 'clear', 'craft'] },
  plumber: { family: 'trade', themes: ['clear', 'poster', 'technical'] },
  electrician: { family: 'trade', themes: ['technical', 'poster', 'clear'] },
  carpenter: { family: 'trade', themes: ['craft', 'swiss', 'editorial'] },
  gardener: { family: 'trade', themes: ['botanical', 'craft', 'clear'] },
  garage: { family: 'trade', themes: ['poster', 'technical', 'swiss'] },
  lawyer: { family: 'office', themes: ['editorial', 'clear', 'quiet'] },
  tax: { family: 'office', themes: ['clear', 'swiss', 'editorial'] },
  architect: { family: 'studio', themes: ['swiss', 'technical', 'quiet'] },
  photographer: { family: 'studio', themes: ['night', 'quiet', 'swiss', 'editorial'] },
  software: { family: 'product', themes: ['technical', 'night', 'swiss'] },
  association: { family: 'group', themes: ['playful', 'clear', 'craft'] },
  business: { family: 'office', themes: ['swiss', 'clear', 'editorial', 'technical'] },
};

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
    offers: ['pagehead', 'menu', 'offers', 'season', 'gallery', 'banner'],
    about: [...story, 'jobs'],
    contact: ['pagehead', 'contact'],
  },
  stay: {
    homes: [
      ['hero', 'about', 'offers', 'gallery', 'banner'],
      ['hero', 'offers', 'statement', 'about', 'banner'],
    ],
    offers: ['pagehead', 'offers', 'prices', 'vouchers'],
    about: ['pagehead', 'story', 'gallery', 'team'],
    contact: ['pagehead', 'booking'],
  },
  shop: {
    homes: [
      ['hero', 'offers', 'statement', 'about', 'hours'],
      ['hero', 'about', 'offers', 'gallery', 'banner'],
    ],
    offers: ['pagehead', 'offers', 'season', 'vouchers'],
    about: story,
    contact: ['pagehead', 'contact'],
  },
  body: {
    homes: [
      ['hero', 'offers', 'about', 'firstvisit', 'banner'],
      ['hero', 'about', 'offers', 'gallery', 'banner'],
    ],
    offers: ['pagehead', 'offers', 'prices', 'vouchers'],
    about: ['pagehead', 'story', 'values', 'team', 'gallery'],
    contact: ['pagehead', 'booking'],
  },
  health: {
    homes: [
      ['hero', 'offers', 'firstvisit', 'about', 'banner'],
      ['hero', 'about', 'offers', 'firstvisit', 'hours'],
    ],
    offers: ['pagehead', 'offers', 'faq', 'banner'],
    about: story,
    contact: ['pagehead', 'contact'],
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
    contact: ['pagehead', 'contact'],
  },
  studio: {
    homes: [
      ['hero', 'gallery', 'offers', 'statement', 'banner'],
      ['hero', 'about', 'gallery', 'offers', 'banner'],
    ],
    offers: ['pagehead', 'gallery', 'offers', 'steps'],
    about: ['pagehead', 'story', 'values', 'links'],
    contact: ['pagehead', 'contact'],
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
    offers: ['pagehead', 'offers', 'dates', 'news', 'banner'],
    about: story,
    contact: ['pagehead', 'contact'],
  },
};
