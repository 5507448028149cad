import { consume, consumerOf } from '@webkiln/events';
import { deleteTurns } from '../turns/turn-store.ts';

/** The chat of a deleted project is deleted. */
export const onProjectDeleted = () =>
  consume({
    ...consumerOf('embed-on-project-deleted'),
    atLeastOnceHandler: ({ org_id, data: { project_id } }) => deleteTurns({ org_id }, project_id),
  });
