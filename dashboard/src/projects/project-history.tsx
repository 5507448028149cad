import { useQueryClient } from '@tanstack/react-query';
import { usePermission } from '../api/permissions.ts';
import { Card } from '../components/layout/card.tsx';
import { HistoryList } from '../history/history-list.tsx';
import { texts } from '../texts.ts';
import { EmptyDraft } from './files/draft-files.tsx';

/** What was changed and published, and by whom; how to begin, before there is anything. */
export function ProjectHistory({ projectId }: { projectId: string }) {
  const canChange = usePermission('changeProjects');
  const queryClient = useQueryClient();
  return (
    <Card title={texts.history.title}>
      <HistoryList
        site={{ projectId, area: 'projects' }}
        canRestore={canChange}
        canRollBack={canChange}
        onChanged={() => queryClient.invalidateQueries({ queryKey: ['projects'] })}
        empty={<EmptyDraft projectId={projectId} />}
      />
    </Card>
  );
}
