import { consume, consumerOf } from '@webkiln/events';
import { deleteOfProject } from '@webkiln/store';
import type { TurnRunner } from '../turns/turn-runner.ts';

/** The chat of a deleted project is deleted; a turn that runs is stopped first, and costs what it has spent. */
export const onProjectDeleted = (runner: TurnRunner) =>
  consume({
    ...consumerOf('embed-on-project-deleted'),
    atLeastOnceHandler: async ({ org_id, data: { project_id } }) => {
      const { hasEnded } = await runner.stopTurnOf({ org_id }, project_id);
      // The event comes again: by then its process answers, or another one has ended the turn.
      if (!hasEnded) throw new Error('the turn of a deleted project has not ended yet');
      await deleteOfProject({ org_id }, project_id);
    },
  });
