import { AppError } from '@webkiln/contract';
import type { Caller } from '@webkiln/messages';
import { type OrganizationDraft, type OrganizationState, openOrganization } from './organization.ts';
import { insertOrganization } from './organization-store.ts';
import { slugsOf } from './slug.ts';

/**
 * Adds an organization under the given slug, or under the first free one derived from its name. Throws `slug_taken`.
 */
export async function insertWithFreeSlug(
  caller: Caller,
  { slug: wanted, ...draft }: Omit<OrganizationDraft, 'slug'> & { slug?: string | undefined },
): Promise<OrganizationState> {
  for (const slug of wanted === undefined ? slugsOf(draft.name) : [wanted]) {
    const organization = await insertOrganization(caller, openOrganization({ ...draft, slug }, new Date()));
    if (organization !== undefined) return organization;
  }
  throw new AppError('slug_taken');
}
