import type { Caller } from '@webkiln/messages';
import { namingPlans, PlanLimitReached, placedQuota, placedShare } from '@webkiln/org-policy';
import { assignPlaces, countPlaces, insertAtPlace, type PlaceIndex } from '@webkiln/store';
import type { ProjectState } from './project-state.ts';
import { ProjectModel } from './project-store.ts';

/** How many sites a client may have; without a limit, or without a client, undefined. */
export interface SiteAllowance {
  readonly client_id?: string | undefined;
  readonly max_sites?: number | undefined;
  /** The client joined by a link: it has a share of the quota together with others who did. */
  readonly joined_by_link?: boolean | undefined;
}

const inOrganization = (org_id: string): PlaceIndex<ProjectState, 'organization'> => ({
  model: ProjectModel,
  scope: { org_id },
  within: {},
  field: 'place',
});

export const projectQuota = placedQuota('projects', inOrganization);
const ofJoinedClients = placedShare('projects', (org_id) => ({ ...inOrganization(org_id), field: 'joined_place' }));

interface Places {
  readonly place: number;
  readonly site_place: number | null;
  readonly joined_place: number | null;
}

/**
 * Inserts a project at a free place of its organization and, if it has one, of its client. Throws `quota_exceeded` or
 * `plan_limit_reached`.
 */
export async function insertAtPlaces<R>(
  caller: Caller,
  { client_id, max_sites, joined_by_link = false }: SiteAllowance,
  insert: (places: Places) => Promise<R>,
): Promise<R> {
  const { org_id } = caller.principal;
  if (client_id === undefined) return projectQuota.insert(org_id, (place) => insert({ place, site_place: null, joined_place: null }));
  const sites = {
    ...sitesOf(org_id, client_id),
    limit: max_sites,
    full: (used: number) => new PlanLimitReached({ limit: 'max_sites', allowed: max_sites ?? 0, used }),
  };
  const insertAll = (place: number) =>
    insertAtPlace(sites, (site_place) => {
      const at = (joined_place: number | null) => insert({ place, site_place, joined_place });
      return joined_by_link ? ofJoinedClients.insert(org_id, at) : at(null);
    });
  return namingPlans({ service: 'projects-templates', caller, client_id }, () => projectQuota.insert(org_id, insertAll));
}

const sitesOf = (org_id: string, org_client_id: string) =>
  ({ ...inOrganization(org_id), within: { org_client_id }, field: 'site_place' }) as const;

/** How many sites a client has. */
export const countSites = (org_id: string, client_id: string): Promise<number> => countPlaces(sitesOf(org_id, client_id));

/** Saves a project that becomes a client's, whatever its plan allows, at a place that counts from then on. */
export const moveToClient = <R>(org_id: string, client_id: string, save: (site_place: number) => Promise<R>): Promise<R> =>
  insertAtPlace({ ...sitesOf(org_id, client_id), limit: undefined, full: () => new Error('a move has no limit') }, save);

/** Gives places to projects without them. */
export async function assignProjectPlaces(): Promise<void> {
  await assignPlaces(ProjectModel, { field: 'place', by: ['org_id'] });
  await assignPlaces(ProjectModel, { field: 'site_place', by: ['org_id', 'org_client_id'] });
}
