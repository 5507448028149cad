import { AppError } from '@webkiln/contract';
import { type Caller, Change } from '@webkiln/messages';
import * as z from 'zod';
import { projectAudited, siteChanges } from '../projects/project.ts';
import type { ProjectState } from '../projects/project-state.ts';

const maxReasonLength = 300;

/** The operator's reason, which the owner and the audit log are shown. */
export const Reason = z.object({
  reason: z
    .string()
    .trim()
    .min(1, 'must say why the site is taken down')
    .max(maxReasonLength, `must have at most ${maxReasonLength} characters`),
});

/** Throws `site_taken_down`: a new deploy would not bring the site back, and its owner should know. */
export function assertNotTakenDown({ taken_down_at, taken_down_reason }: Pick<ProjectState, 'taken_down_at' | 'taken_down_reason'>): void {
  if (taken_down_at === null) return;
  const message = `An operator of this platform took this site down (${taken_down_reason}): ask there to have it restored`;
  throw new AppError('site_taken_down', [{ path: '', message }]);
}

/** Takes a site down, with its preview image. Null if it is taken down for this reason already. `now` is ISO 8601. */
export function takeDown(caller: Caller, current: ProjectState, reason: string, now: string): Change<Partial<ProjectState>> | null {
  if (current.taken_down_at !== null && current.taken_down_reason === reason) return null;
  const audited = projectAudited(caller, 'site.taken_down', { ...current, name: `${current.name}: ${reason}` });
  return new Change({ taken_down_at: current.taken_down_at ?? now, taken_down_reason: reason, pictured_deploy_id: null }, [
    audited,
    ...siteChanges(current),
  ]);
}

/** Ends that a site is taken down. Null if it is not. */
export function restore(caller: Caller, current: ProjectState): Change<Partial<ProjectState>> | null {
  if (current.taken_down_at === null) return null;
  const audited = projectAudited(caller, 'site.restored', current);
  return new Change({ taken_down_at: null, taken_down_reason: null }, [audited, ...siteChanges(current)]);
}
