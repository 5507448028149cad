import { useQuery } from '@tanstack/react-query';
import { ExternalLink, Wand } from 'lucide-react';
import { Link } from 'react-router';
import { analyticsQuery } from '../analytics/analytics-query.ts';
import { usePermission } from '../api/permissions.ts';
import { type Project, projectsQuery } from '../api/records.ts';
import { useSession } from '../api/session.ts';
import { EmptyState } from '../components/feedback/empty-state.tsx';
import { QueryBoundary } from '../components/feedback/query-boundary.tsx';
import { Card } from '../components/layout/card.tsx';
import { Page } from '../components/layout/page.tsx';
import { submissionsQuery } from '../forms/form-queries.ts';
import { ProjectImage } from '../projects/project-image.tsx';
import { SiteLink } from '../projects/project-records.tsx';
import { texts } from '../texts.ts';
import { ReportMails } from './report-mails.tsx';
import './portal.css';

const t = texts.portal;
/** More are in the list of projects. */
const shownSites = 12;
const days = 30;

/** What a client sees first: its websites with their visits and messages, and whom to ask. */
export function PortalPage() {
  const { organization } = useSession();
  const agency = organization?.name ?? '';
  const query = useQuery(projectsQuery({ limit: shownSites }));
  return (
    <Page title={texts.pages.portal} text={t.text({ agency })}>
      <QueryBoundary
        query={query}
        empty={{
          when: ({ total }) => total === 0,
          show: (
            <Card>
              <EmptyState title={t.empty} text={t.emptyText({ agency })} />
            </Card>
          ),
        }}
      >
        {({ projects, total }) => (
          <>
            <div className="portal-sites">
              {projects.map((project) => (
                <Site key={project.id} project={project} />
              ))}
            </div>
            {total > projects.length ? (
              <Link className="link" to="/projects">
                {t.all}
              </Link>
            ) : null}
          </>
        )}
      </QueryBoundary>
      {organization?.contact_email ? (
        <Card title={t.contact} padded>
          <p>
            {t.contactText({ agency })}{' '}
            <a className="link" href={`mailto:${organization.contact_email}`}>
              {organization.contact_email}
            </a>
          </p>
        </Card>
      ) : null}
      <ReportMails />
    </Page>
  );
}

function Site({ project }: { project: Project }) {
  const canChange = usePermission('changeProjects');
  const url = project.published_url;
  return (
    <section className="card portal-site" aria-label={project.name}>
      <ProjectImage project={project} />
      <div className="portal-words">
        <h2>{project.name}</h2>
        {url === null ? <p className="soft">{t.notLive}</p> : <SiteLink url={url} />}
        {url === null ? null : <Figures projectId={project.id} />}
        <div className="actions">
          {url === null ? null : (
            <a className="button primary" href={url} target="_blank" rel="noreferrer">
              <ExternalLink size={15} aria-hidden />
              {t.open}
            </a>
          )}
          {canChange && project.status !== 'archived' ? (
            <a className="button" href={`/builder/${project.id}`}>
              <Wand size={15} aria-hidden />
              {t.change}
            </a>
          ) : null}
          <Link className="button quiet" to={`/projects/${project.id}`} aria-label={`${t.details}, ${project.name}`}>
            {t.details}
          </Link>
        </div>
      </div>
    </section>
  );
}

/** Visits and messages in words. */
function Figures({ projectId }: { projectId: string }) {
  const { data: analytics, failureReason } = useQuery(analyticsQuery({ days, project_id: projectId }));
  const { data: submissions } = useQuery(submissionsQuery(projectId, { spam: 'false', limit: 1, offset: 0 }));
  return (
    <ul className="portal-figures">
      <li>
        {analytics === undefined ? (
          failureReason === null ? (
            texts.loading
          ) : (
            texts.problem.retrying
          )
        ) : (
          <Link className="link" to={`/analytics?project=${projectId}&days=${days}`}>
            {t.visitors({ count: analytics.uniqueVisitors })}
          </Link>
        )}
      </li>
      {submissions === undefined || submissions.total === 0 ? null : (
        <li>
          <Link className="link" to={`/projects/${projectId}/forms`}>
            {t.messages({ count: submissions.total })}
          </Link>
        </li>
      )}
    </ul>
  );
}
