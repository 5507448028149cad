import { AppError } from '@webkiln/contract';
import type { Caller } from '@webkiln/rpc';
import { type OrganizationDraft, type OrganizationState, openOrganization, slugsOf } from './organization.ts';
import { insertOrganization } from './organization-store.ts';

/** Makes an organization under the slug, or the first of its name that is free. Throws `slug_taken`. */
export async function makeOrganization(
  caller: Caller,
  { slug: wanted, ...draft }: Omit<OrganizationDraft, 'slug'> & { slug?: string | undefined },
): Promise<OrganizationState> {
  for (const slug of wanted === undefined ? slugsOf(draft.name) : [wanted]) {
    const organization = await insertOrganization(caller, openOrganization({ ...draft, slug }, new Date()));
    if (organization !== undefined) return organization;
  }
  throw new AppError('slug_taken');
}
