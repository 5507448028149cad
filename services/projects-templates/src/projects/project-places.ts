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
  /** See `insertAtPlace`. */
  readonly isSurelyNew?: boolean;
}

const inOrganization = (org_id: string): PlaceIndex<ProjectState, 'organization'> => ({
  model: ProjectModel,
  scope: { org_id },
  within: {},
  field: 'place',
});

export const projectQuota = placedQuota('projects', inOrganization);
const ofJoinedClients = placedShare('projects', (org_id) => ({ ...inOrganization(org_id), field: 'joined_place' }));

type OfClient = SiteAllowance & { readonly client_id: string };

interface ClientPlaces {
  readonly site_place: number | null;
  readonly joined_place: number | null;
}

type Places = ClientPlaces & { readonly place: number };

/**
 * Inserts a project at a free place of its organization and, if it has one, of its client. Throws `quota_exceeded` or
 * `plan_limit_reached`.
 */
export function insertAtPlaces<R>(caller: Caller, allowance: SiteAllowance, insert: (places: Places) => Promise<R>): Promise<R> {
  const { client_id } = allowance;
  const inQuota = (insertAt: (place: number) => Promise<R>) => projectQuota.insert(caller.principal.org_id, insertAt);
  if (client_id === undefined) return inQuota((place) => insert({ place, site_place: null, joined_place: null }));
  return namingPlan(caller, client_id, () =>
    inQuota((place) => atClientPlaces(caller, { ...allowance, client_id }, (places) => insert({ place, ...places }))),
  );
}

/**
 * Saves a project that becomes a client's at a free place of the client's plan. Throws `quota_exceeded` or
 * `plan_limit_reached`.
 */
export const saveAtClientPlaces = <R>(caller: Caller, allowance: OfClient, save: (places: ClientPlaces) => Promise<R>): Promise<R> =>
  namingPlan(caller, allowance.client_id, () => atClientPlaces(caller, allowance, save));

const namingPlan = <R>(caller: Caller, client_id: string, place: () => Promise<R>): Promise<R> =>
  namingPlans({ service: 'projects-templates', caller, client_id }, place);

function atClientPlaces<R>(
  { principal: { org_id } }: Caller,
  { client_id, max_sites, joined_by_link = false, isSurelyNew = false }: OfClient,
  write: (places: ClientPlaces) => Promise<R>,
): Promise<R> {
  const full = (used: number) => new PlanLimitReached({ limit: 'max_sites', allowed: max_sites ?? 0, used });
  return insertAtPlace({ ...sitesOf(org_id, client_id), limit: max_sites, full, isSurelyNew }, (site_place) =>
    joined_by_link
      ? ofJoinedClients.insert(org_id, (joined_place) => write({ site_place, joined_place }))
      : write({ site_place, joined_place: null }),
  );
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
