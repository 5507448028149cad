import { consume } from '@webkiln/events';
import { releaseSiteSlot } from '../site-slots/site-slot-store.ts';

/** Releases a deleted project's site slot, in case the process that deleted the project crashed before it did. */
export const onProjectDeleted = () =>
  consume({
    name: 'projects-templates-on-project-deleted',
    types: ['internal.project.deleted'],
    transactionalHandler: async ({ org_id, data: { project_id, org_client_id } }, session) => {
      if (org_client_id !== null) await releaseSiteSlot({ org_id, session }, org_client_id, project_id);
    },
  });
