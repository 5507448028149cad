import type { DirectionName } from '../directions/names.ts';
import type { KindName } from './names.ts';

export type Family = 'food' | 'stay' | 'shop' | 'body' | 'health' | 'trade' | 'office' | 'studio' | 'product' | 'group';

export interface Kind {
  /** Kinds of a family have the same pages and sections. */
  readonly family: Family;
  /** The directions that suit the kind; the seed chooses one. */
  readonly directions: readonly [DirectionName, DirectionName, ...DirectionName[]];
}

export const kinds: Readonly<Record<KindName, Kind>> = {
  bakery: { family: 'food', directions: ['craft', 'editorial', 'poster'] },
  restaurant: { family: 'food', directions: ['editorial', 'quiet', 'craft', 'night'] },
  cafe: { family: 'food', directions: ['playful', 'craft', 'poster', 'editorial'] },
  bar: { family: 'food', directions: ['night', 'poster', 'quiet'] },
  hotel: { family: 'stay', directions: ['quiet', 'botanical', 'editorial'] },
  winery: { family: 'stay', directions: ['botanical', 'editorial', 'quiet'] },
  florist: { family: 'shop', directions: ['botanical', 'quiet', 'playful', 'craft'] },
  bookshop: { family: 'shop', directions: ['editorial', 'poster', 'craft'] },
  hairdresser: { family: 'body', directions: ['poster', 'quiet', 'swiss', 'playful'] },
  spa: { family: 'body', directions: ['quiet', 'botanical', 'craft'] },
  yoga: { family: 'body', directions: ['botanical', 'craft', 'quiet'] },
  gym: { family: 'body', directions: ['poster', 'night', 'swiss'] },
  dentist: { family: 'health', directions: ['clear', 'swiss', 'playful'] },
  physiotherapist: { family: 'health', directions: ['clear', 'swiss', 'botanical'] },
  vet: { family: 'health', directions: ['playful', 'clear', 'craft'] },
  plumber: { family: 'trade', directions: ['clear', 'poster', 'technical'] },
  electrician: { family: 'trade', directions: ['technical', 'poster', 'clear'] },
  carpenter: { family: 'trade', directions: ['craft', 'swiss', 'editorial'] },
  gardener: { family: 'trade', directions: ['botanical', 'craft', 'clear'] },
  garage: { family: 'trade', directions: ['poster', 'technical', 'swiss'] },
  lawyer: { family: 'office', directions: ['editorial', 'clear', 'quiet'] },
  tax: { family: 'office', directions: ['clear', 'swiss', 'editorial'] },
  architect: { family: 'studio', directions: ['swiss', 'technical', 'quiet'] },
  photographer: { family: 'studio', directions: ['night', 'quiet', 'swiss', 'editorial'] },
  software: { family: 'product', directions: ['technical', 'night', 'swiss'] },
  association: { family: 'group', directions: ['playful', 'clear', 'craft'] },
  business: { family: 'office', directions: ['swiss', 'clear', 'editorial', 'technical'] },
};
