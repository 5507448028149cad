import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useDeferredValue } from 'react';
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components';
import { useParams, useSearchParams } from 'react-router';
import { hasPermission, useAgencyTools, usePermission } from '../api/permissions.ts';
import { clientsQuery, draftQuery, filesQuery, type Project, projectQuery } from '../api/records.ts';
import { useSession } from '../api/session.ts';
import { clientName } from '../clients/client-status.tsx';
import { Timestamp } from '../components/content/timestamp.tsx';
import { Badge } from '../components/feedback/badge.tsx';
import { QueryBoundary } from '../components/feedback/query-boundary.tsx';
import { Skeleton } from '../components/feedback/skeleton.tsx';
import { Card } from '../components/layout/card.tsx';
import { Page } from '../components/layout/page.tsx';
import { FormsCard } from '../forms/forms-card.tsx';
import { HistoryList } from '../history/history-list.tsx';
import { texts } from '../texts.ts';
import { DraftFiles, EmptyDraft } from './files/draft-files.tsx';
import { HandOver } from './hand-over.tsx';
import { DeleteProject, ProjectActions } from './project-actions.tsx';
import { ProjectImage } from './project-image.tsx';
import { PublishState, SiteLink } from './project-records.tsx';

/** What was changed and published, and by whom; how to begin, before there is anything. */
function ProjectHistory({ projectId }: { projectId: string }) {
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

const t = texts.projects;
const [site, filesTab] = ['site', 'files'];

export function ProjectPage() {
  const { projectId = '' } = useParams();
  const query = useQuery(projectQuery(projectId));
  const canChange = usePermission('changeProjects');
  // The page's actions depend on them. One that fails is waited for no longer.
  const parts = [useQuery(filesQuery(projectId)), useQuery({ ...draftQuery(projectId), enabled: canChange })];
  const isComplete = parts.every(({ isLoading, failureCount }) => !isLoading || failureCount > 0);
  const back = useBack();
  // Deferred, the page is rendered in slices: on a slow phone it takes half a second.
  const project = useDeferredValue(isComplete ? query.data?.body.project : undefined);
  if (project !== undefined) return <ShownProject project={project} />;
  return (
    <Page title={texts.pages.projects} back={back}>
      <Card>
        <QueryBoundary query={query}>{() => <Skeleton />}</QueryBoundary>
      </Card>
    </Page>
  );
}

/** Where the page was opened from: the list of projects, or a client's sites. */
function useBack() {
  const seesClients = usePermission('seeOrganization');
  return seesClients ? { to: '/projects', label: texts.pages.projects } : { to: '/', label: texts.pages.portal };
}

/** All of a project's page at once: what arrived part by part moved the rest about. */
function ShownProject({ project }: { project: Project }) {
  const projectId = project.id;
  const { role } = useSession();
  const [search, setSearch] = useSearchParams();
  const tab = search.get('tab') === filesTab ? filesTab : site;
  const { data: files } = useQuery(filesQuery(projectId));
  const hasTools = useAgencyTools();
  const seesClients = hasPermission(role, 'seeOrganization');
  const canWrite = hasPermission(role, 'write');
  const { data: clients = [] } = useQuery({ ...clientsQuery(), enabled: seesClients });
  const back = useBack();
  const client = clients.find(({ id }) => id === project.org_client_id);

  return (
    <Page title={project.name} text={project.description ?? undefined} back={back} actions={<ProjectActions project={project} />}>
      <Card>
        <div className="project-summary">
          <ProjectImage project={project} />
          <dl className="facts">
            <dt>{t.address}</dt>
            <dd>
              <SiteLink url={project.published_url} />
            </dd>
            <dt>{t.status}</dt>
            <dd>
              <PublishState {...project} />
            </dd>
            {seesClients ? (
              <>
                <dt>{t.client}</dt>
                <dd className="actions">
                  {client === undefined ? '–' : clientName(client)}
                  {canWrite ? <HandOver project={project} client={client} /> : null}
                </dd>
              </>
            ) : null}
            <dt>{t.published}</dt>
            <dd>
              <Timestamp at={project.last_published_at} />
            </dd>
            <dt>{t.created}</dt>
            <dd>
              <Timestamp at={project.created_at} />
            </dd>
            {hasTools ? (
              <>
                <dt>{t.tags}</dt>
                <dd className="badges">{project.tags.length === 0 ? '–' : project.tags.map((tag) => <Badge key={tag}>{tag}</Badge>)}</dd>
              </>
            ) : null}
          </dl>
        </div>
      </Card>
      {hasTools ? null : <FormsCard projectId={projectId} />}
      {hasTools ? (
        <Tabs className="page-tabs" selectedKey={tab} onSelectionChange={(key) => setSearch(key === site ? {} : { tab: String(key) })}>
          <TabList className="tab-list" aria-label={project.name}>
            <Tab className="tab" id={site}>
              {t.site}
            </Tab>
            <Tab className="tab" id={filesTab}>
              {files === undefined ? t.files : t.filesTab({ count: files.length })}
            </Tab>
          </TabList>
          <TabPanel className="tab-panel" id={site}>
            <ProjectHistory projectId={projectId} />
            <FormsCard projectId={projectId} />
            <DeleteProject project={project} />
          </TabPanel>
          <TabPanel className="tab-panel" id={filesTab}>
            <DraftFiles projectId={projectId} />
          </TabPanel>
        </Tabs>
      ) : null}
    </Page>
  );
}
