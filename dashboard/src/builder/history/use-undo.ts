import { useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { type Revision, revisionsQuery } from '../queries.ts';
import { request } from '../requests.ts';

export const restore = (projectId: string, revisionId: string) =>
  request<{ revision: Revision }>('POST', `/projects/${projectId}/revisions/${revisionId}/restore`, {});

/** Undoing a message: the draft becomes what it was before, if the message made the draft as it is. */
export function useUndo(projectId: string, onChanged: () => void) {
  const { data: revisions = [] } = useQuery(revisionsQuery(projectId));
  const undoable = useCallback((revisionId: string) => revisions[0]?.id === revisionId && revisions.length > 1, [revisions]);
  const undo = useCallback(async () => {
    const before = revisions[1];
    if (before === undefined) return;
    await restore(projectId, before.id);
    onChanged();
  }, [projectId, revisions, onChanged]);
  return { undoable, undo };
}
