import { consume, consumerOf } from '@webkiln/events';
import { deleteOfProject } from '@webkiln/store';
import { endTurn } from '../turns/end-turn.ts';
import { runningTurn } from '../turns/turn-store.ts';

/** The chat of a deleted project is deleted; a turn that runs gives its credits back first. */
export const onProjectDeleted = () =>
  consume({
    ...consumerOf('embed-on-project-deleted'),
    atLeastOnceHandler: async ({ org_id, data: { project_id } }) => {
      const turn = await runningTurn({ org_id }, project_id);
      if (turn !== null) await endTurn(turn, { state: 'interrupted', revision_id: null, text: turn.text, files: [], tokens: 0 });
      await deleteOfProject({ org_id }, project_id);
    },
  });
