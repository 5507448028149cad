import { AppError } from '@webkiln/contract';
import type { Caller, Change } from '@webkiln/messages';
import { saveChange, saveWithRetry } from '@webkiln/store';
import type { ProjectState } from '../projects/project-state.ts';
import { ProjectModel, type ProjectRecord } from '../projects/project-store.ts';
import type { SiteAddresses } from '../projects/site-addresses.ts';

export interface Sites {
  readonly find: (site: string) => Promise<ProjectRecord>;
  readonly addresses: SiteAddresses;
}

/** Applies an operator's decision to a site of any organization; null changes nothing. */
export async function changeSite(
  caller: Caller,
  { find, addresses }: Sites,
  site: string,
  decide: (current: ProjectRecord) => Change<Partial<ProjectState>> | null,
) {
  if (caller.principal.kind !== 'operator') throw new AppError('permission_missing');
  const project = await saveWithRetry(caller, async () => {
    const current = await find(site);
    const change = decide(current);
    return change === null ? current : saveChange(ProjectModel, { org_id: current.org_id }, current, change);
  });
  const { _id, org_id, name, subdomain, taken_down_at, taken_down_reason } = project;
  const url = subdomain === null ? undefined : addresses.site(subdomain);
  return {
    site: { project_id: _id, org_id, name, url, taken_down_at: taken_down_at ?? undefined, reason: taken_down_reason ?? undefined },
  };
}
