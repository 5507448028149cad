import { useQuery, useQueryClient } from '@tanstack/react-query';
import { answer, api } from '../api/client.ts';
import { may } from '../api/may.ts';
import { deploysQuery } from '../api/records.ts';
import { useSession } from '../api/session.ts';
import { Badge } from '../components/badge.tsx';
import { ConfirmButton } from '../components/confirm-button.tsx';
import { curl } from '../components/curl.ts';
import { Empty } from '../components/empty.tsx';
import { Moment } from '../components/moment.tsx';
import { RecordList } from '../components/record-list.tsx';
import { texts } from '../texts.ts';
import { bytes } from './bytes.ts';

const own = texts.projects;
const builtFiles = { 'index.html': '<h1>Hello</h1>' };

/** What was published, and the way back to an earlier state. */
export function Deploys({ projectId }: { projectId: string }) {
  const { role } = useSession();
  const query = useQuery(deploysQuery(projectId));
  const queries = useQueryClient();
  const request = may(role, 'write') ? { request: curl('POST', `/projects/${projectId}/publish`, { builtFiles }) } : {};

  async function rollBack(deployId: string) {
    await answer(api.POST('/projects/{projectId}/deploys/{deployId}/rollback', { params: { path: { projectId, deployId } }, body: {} }));
    await queries.invalidateQueries({ queryKey: ['projects'] });
  }

  return (
    <RecordList
      label={own.deploys}
      titled
      query={query}
      records={(deploys) => deploys}
      empty={<Empty title={own.noDeploys} text={own.noDeploysText} {...request} />}
      columns={[
        {
          name: own.deploy,
          cell: ({ id, live }) => (
            <span className="badges">
              <code>{id.slice(0, 8)}</code>
              {live ? <Badge tone="good">{own.live}</Badge> : null}
            </span>
          ),
        },
        { name: own.filesColumn, cell: ({ files }) => <span className="number">{own.filesCount(files)}</span>, wide: true },
        { name: own.size, cell: ({ size }) => <span className="number">{bytes(size)}</span>, wide: true },
        { name: own.when, cell: ({ created_at }) => <Moment at={created_at} /> },
        {
          name: own.rollBack,
          unnamed: true,
          end: true,
          cell: ({ id, live }) =>
            live || !may(role, 'changeProjects') ? null : (
              <ConfirmButton label={own.rollBack} title={own.rollBack} text={own.rollBackText} action={() => rollBack(id)} />
            ),
        },
      ]}
    />
  );
}
