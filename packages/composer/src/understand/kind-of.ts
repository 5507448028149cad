import type { KindName } from '../kinds/names.ts';
import { kindVocabulary } from './kind-words.ts';
import { plain, wordPattern } from './text.ts';

const patterns = Object.entries(kindVocabulary).map(([kind, list]) => ({ kind: kind as KindName, pattern: wordPattern(list) }));

/**
 * The kind of business that a text speaks of: the one with most words, the first of those mentioned equally often.
 * `business` if none
 * is named.
 */
export function kindOf(text: string): KindName {
  const searched = plain(text);
  const found = patterns
    .map(({ kind, pattern }) => ({ kind, places: [...searched.matchAll(pattern)].map(({ index }) => index) }))
    .filter(({ places }) => places.length > 0)
    .toSorted((one, two) => two.places.length - one.places.length || (one.places[0] ?? 0) - (two.places[0] ?? 0));
  return found[0]?.kind ?? 'business';
}
