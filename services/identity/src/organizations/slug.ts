/** Shorter than a UUID, so that a slug cannot be confused with an id. */
export const maxSlugLength = 32;
const maxSlugCandidates = 20;

/** Candidate slugs for a name: the plain one first, then numbered ones in case it is taken. */
export function slugsOf(name: string): string[] {
  const slug = hyphenated(name, maxSlugLength) || 'organization';
  const numbered = Array.from({ length: maxSlugCandidates - 1 }, (_, at) => {
    const suffix = `-${at + 2}`;
    return hyphenated(slug, maxSlugLength - suffix.length) + suffix;
  });
  return [slug, ...numbered];
}

const hyphenated = (text: string, length: number) =>
  text
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, length)
    .replace(/-$/, '');
