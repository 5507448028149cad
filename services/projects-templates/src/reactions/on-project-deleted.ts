import { consume } from '@webkiln/events';
import { giveSiteSlotBack } from '../site-slots/site-slot-store.ts';

/** Gives a deleted project's site slot back where the process that deleted it did not live to do so. */
export const onProjectDeleted = () =>
  consume({
    name: 'projects-templates-on-project-deleted',
    types: ['internal.project.deleted'],
    effect: async ({ org_id, data: { project_id, org_client_id } }, session) => {
      if (org_client_id !== null) await giveSiteSlotBack({ org_id, session }, org_client_id, project_id);
    },
  });
