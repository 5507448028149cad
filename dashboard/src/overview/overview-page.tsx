import { useQuery } from '@tanstack/react-query';
import { useDeferredValue } from 'react';
import { Link } from 'react-router';
import { analyticsQuery } from '../analytics/analytics-query.ts';
import { ViewsChart } from '../analytics/views-chart.tsx';
import { clientsQuery, projectsQuery } from '../api/records.ts';
import { useSession } from '../api/session.ts';
import { Card } from '../components/card.tsx';
import { Empty } from '../components/empty.tsx';
import { Figure } from '../components/figure.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Page } from '../components/page.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { ProjectRecords } from '../projects/project-records.tsx';
import { texts } from '../texts.ts';
import { GettingStarted, useSteps } from './getting-started.tsx';

const own = texts.overview;
const recent = 5;
const days = 30;

export function OverviewPage() {
  const { organization } = useSession();
  const clients = useQuery(clientsQuery());
  const projects = useQuery(projectsQuery({ limit: recent }));
  const analytics = useQuery(analyticsQuery({ days }));
  const { isLoading, steps } = useSteps();
  // What several answers bring at once is shown in slices: a phone goes on answering its owner meanwhile.
  const waits = useDeferredValue(isLoading);
  return (
    <Page title={own.title} text={own.text(organization?.name ?? '')}>
      {waits ? (
        <Skeleton />
      ) : (
        <>
          <GettingStarted steps={steps} />
          <dl className="card figures">
            <Figure label={own.clients} value={clients.data?.length} />
            <Figure label={own.projects} value={projects.data?.total} />
            <Figure label={own.views} value={analytics.data?.totalViews} />
            <Figure label={own.visitors} value={analytics.data?.uniqueVisitors} />
          </dl>
          <Card
            title={own.visits}
            actions={
              <Link className="link small" to="/analytics">
                {texts.analytics.title}
              </Link>
            }
          >
            <div className="chart-place">
              <Loaded query={analytics}>{(found) => <ViewsChart dailyViews={found.dailyViews} />}</Loaded>
            </div>
          </Card>
          <Card
            title={own.recent}
            actions={
              <Link className="link small" to="/projects">
                {own.all}
              </Link>
            }
          >
            <Loaded
              query={projects}
              empty={{ when: ({ total }) => total === 0, show: <Empty title={texts.projects.empty} text={texts.projects.emptyText} /> }}
            >
              {(found) => <ProjectRecords projects={found.projects} />}
            </Loaded>
          </Card>
        </>
      )}
    </Page>
  );
}
