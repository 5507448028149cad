import { AppError } from '@webkiln/contract';
import { placedQuota } from '@webkiln/org-policy';
import type { Tenant } from '@webkiln/store';
import { assignPlaces, insertAtPlace, type PlaceIndex } from '@webkiln/store';
import type { ProjectState } from './project-state.ts';
import { ProjectModel } from './project-store.ts';

/** How many sites a client may have; without a limit, or without a client, undefined. */
interface SiteAllowance {
  readonly client_id?: string | undefined;
  readonly max_sites?: number | undefined;
}

const inOrganization = (org_id: string): PlaceIndex<ProjectState, 'organization'> => ({
  model: ProjectModel,
  scope: { org_id },
  within: {},
  field: 'place',
});

export const projectQuota = placedQuota('projects', inOrganization);

/**
 * Inserts a project at a free place of its organization and, if it has one, of its client. Throws `quota_exceeded` or
 * `plan_limit_reached`.
 */
export async function insertAtPlaces<R>(
  { org_id }: Tenant,
  { client_id, max_sites }: SiteAllowance,
  insert: (places: { place: number; site_place: number | null }) => Promise<R>,
): Promise<R> {
  if (client_id === undefined) return projectQuota.insert(org_id, (place) => insert({ place, site_place: null }));
  const sites = {
    ...inOrganization(org_id),
    within: { org_client_id: client_id },
    field: 'site_place' as const,
    limit: max_sites,
    full: () => new AppError('plan_limit_reached'),
  };
  return projectQuota.insert(org_id, (place) => insertAtPlace(sites, (site_place) => insert({ place, site_place })));
}

/** Gives places to projects without them. */
export async function assignProjectPlaces(): Promise<void> {
  await assignPlaces(ProjectModel, { field: 'place', by: ['org_id'] });
  await assignPlaces(ProjectModel, { field: 'site_place', by: ['org_id', 'org_client_id'] });
}
