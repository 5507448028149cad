import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import { may } from '../api/may.ts';
import { clientsQuery, projectQuery } from '../api/records.ts';
import { useSession } from '../api/session.ts';
import { clientName } from '../clients/client-status.tsx';
import { Badge } from '../components/badge.tsx';
import { Card } from '../components/card.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Moment } from '../components/moment.tsx';
import { Page } from '../components/page.tsx';
import { FormsCard } from '../forms/forms-card.tsx';
import { texts } from '../texts.ts';
import { Deploys } from './deploys.tsx';
import { DraftFiles } from './draft-files.tsx';
import { ProjectActions } from './project-actions.tsx';
import { ProjectPicture } from './project-picture.tsx';
import { PublishState, SiteLink } from './project-records.tsx';
import './project.css';

const own = texts.projects;

export function ProjectPage() {
  const { projectId = '' } = useParams();
  const { role } = useSession();
  const seesClients = may(role, 'seeOrganization');
  const query = useQuery(projectQuery(projectId));
  const { data: clients = [] } = useQuery({ ...clientsQuery(), enabled: seesClients });
  const project = query.data?.body.project;
  const client = clients.find(({ id }) => id === project?.org_client_id);

  return (
    <Page
      title={project?.name ?? own.title}
      text={project?.description ?? undefined}
      back={{ to: '/projects', label: own.title }}
      actions={project === undefined ? null : <ProjectActions project={project} />}
    >
      <Card>
        <Loaded query={query}>
          {({ body: { project } }) => (
            <div className="project-summary">
              <ProjectPicture project={project} />
              <dl className="facts">
                <dt>{own.address}</dt>
                <dd>
                  <SiteLink url={project.published_url} />
                </dd>
                <dt>{own.status}</dt>
                <dd>
                  <PublishState {...project} />
                </dd>
                {client === undefined ? null : (
                  <>
                    <dt>{own.client}</dt>
                    <dd>{clientName(client)}</dd>
                  </>
                )}
                <dt>{own.published}</dt>
                <dd>
                  <Moment at={project.last_published_at} />
                </dd>
                <dt>{own.created}</dt>
                <dd>
                  <Moment at={project.created_at} />
                </dd>
                <dt>{own.tags}</dt>
                <dd className="badges">{project.tags.length === 0 ? '–' : project.tags.map((tag) => <Badge key={tag}>{tag}</Badge>)}</dd>
              </dl>
            </div>
          )}
        </Loaded>
      </Card>
      <Deploys projectId={projectId} />
      <FormsCard projectId={projectId} />
      <DraftFiles projectId={projectId} />
    </Page>
  );
}
