import { useQuery } from '@tanstack/react-query';
import { useDeferredValue } from 'react';
import { Link } from 'react-router';
import { analyticsQuery } from '../analytics/analytics-query.ts';
import { ViewsChart } from '../analytics/views-chart.tsx';
import { clientsQuery, projectsQuery } from '../api/records.ts';
import { useSession } from '../api/session.ts';
import { Stat } from '../components/charts/stat.tsx';
import { EmptyState } from '../components/feedback/empty-state.tsx';
import { ProblemNotice } from '../components/feedback/problem-notice.tsx';
import { QueryBoundary } from '../components/feedback/query-boundary.tsx';
import { Skeleton } from '../components/feedback/skeleton.tsx';
import { Card } from '../components/layout/card.tsx';
import { Page } from '../components/layout/page.tsx';
import { ProjectRecords } from '../projects/project-records.tsx';
import { texts } from '../texts.ts';
import { GettingStarted, useSteps } from './getting-started.tsx';

const t = texts.overview;
const recentCount = 5;
const days = 30;

export function OverviewPage() {
  const { organization } = useSession();
  const clients = useQuery(clientsQuery());
  const projects = useQuery(projectsQuery({ limit: recentCount }));
  const analytics = useQuery(analyticsQuery({ days }));
  const { isLoading, failure, steps } = useSteps();
  // Several responses arrive at once. Rendering them deferred keeps a phone responsive.
  const isWaiting = useDeferredValue(isLoading);
  return (
    <Page title={texts.pages.overview} text={t.text({ organization: organization?.name ?? '' })}>
      {isWaiting ? (
        <Skeleton />
      ) : (
        <>
          <ProblemNotice error={failure} text={texts.problem.retrying} />
          <GettingStarted steps={steps} />
          <dl className="card stats">
            <Stat label={t.clients} value={clients.data?.length} />
            <Stat label={t.projects} value={projects.data?.total} />
            <Stat label={t.views} value={analytics.data?.totalViews} />
            <Stat label={t.visitors} value={analytics.data?.uniqueVisitors} />
          </dl>
          <Card
            title={t.visits}
            actions={
              <Link className="link small" to="/analytics">
                {texts.pages.analytics}
              </Link>
            }
          >
            <div className="chart-place">
              <QueryBoundary query={analytics}>{(found) => <ViewsChart dailyViews={found.dailyViews} />}</QueryBoundary>
            </div>
          </Card>
          <Card
            title={t.recent}
            actions={
              <Link className="link small" to="/projects">
                {t.all}
              </Link>
            }
          >
            <QueryBoundary
              query={projects}
              empty={{
                when: ({ total }) => total === 0,
                show: <EmptyState title={texts.projects.empty} text={texts.projects.emptyText} />,
              }}
            >
              {(found) => <ProjectRecords projects={found.projects} />}
            </QueryBoundary>
          </Card>
        </>
      )}
    </Page>
  );
}
