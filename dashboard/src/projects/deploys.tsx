import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api, readJson } from '../api/client.ts';
import { hasPermission } from '../api/permissions.ts';
import { deploysQuery, filesQuery } from '../api/records.ts';
import { useSession } from '../api/session.ts';
import { formatBytes } from '../components/content/format-bytes.ts';
import { Timestamp } from '../components/content/timestamp.tsx';
import { ConfirmButton } from '../components/dialogs/confirm-button.tsx';
import { Badge } from '../components/feedback/badge.tsx';
import { EmptyState } from '../components/feedback/empty-state.tsx';
import { RecordList } from '../components/tables/record-list.tsx';
import { texts } from '../texts.ts';
import { EmptyDraft } from './files/draft-files.tsx';

const t = texts.projects;

/** The deploys of a project, each with a button to roll back to it. */
export function Deploys({ projectId }: { projectId: string }) {
  const { role } = useSession();
  const query = useQuery(deploysQuery(projectId));
  const queryClient = useQueryClient();
  const { data: files } = useQuery(filesQuery(projectId));

  async function rollBack(deployId: string) {
    await readJson(api.POST('/projects/{projectId}/deploys/{deployId}/rollback', { params: { path: { projectId, deployId } }, body: {} }));
    await queryClient.invalidateQueries({ queryKey: ['projects'] });
  }

  return (
    <RecordList
      label={t.deploys}
      titled
      query={query}
      records={(deploys) => deploys}
      empty={files?.length === 0 ? <EmptyDraft projectId={projectId} /> : <EmptyState title={t.noDeploys} text={t.noDeploysText} />}
      columns={[
        {
          name: t.deploy,
          cell: ({ id, live }) => (
            <span className="badges">
              <code>{id.slice(0, 8)}</code>
              {live ? <Badge tone="good">{t.live}</Badge> : null}
            </span>
          ),
        },
        { name: t.filesColumn, cell: ({ files }) => <span className="number">{t.filesCount({ count: files })}</span>, wide: true },
        { name: t.size, cell: ({ size }) => <span className="number">{formatBytes(size)}</span>, wide: true },
        { name: t.when, cell: ({ created_at }) => <Timestamp at={created_at} /> },
        {
          name: t.rollBack,
          unnamed: true,
          end: true,
          cell: ({ id, live }) =>
            live || !hasPermission(role, 'changeProjects') ? null : (
              <ConfirmButton label={t.rollBack} title={t.rollBack} text={t.rollBackText} action={() => rollBack(id)} />
            ),
        },
      ]}
    />
  );
}
