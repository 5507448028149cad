import { useQuery } from '@tanstack/react-query';
import { Button } from 'react-aria-components';
import { Link, useParams } from 'react-router';
import { answer, api } from '../api/client.ts';
import { useMay } from '../api/may.ts';
import { clientQuery, plansQuery, projectsQuery } from '../api/records.ts';
import { Card } from '../components/card.tsx';
import { Empty } from '../components/empty.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Moment } from '../components/moment.tsx';
import { ProblemNotice } from '../components/notice.tsx';
import { Page } from '../components/page.tsx';
import { useAct } from '../components/use-act.ts';
import { ProjectRecords } from '../projects/project-records.tsx';
import { texts } from '../texts.ts';
import { ClientStatus, clientName, PaymentStatus } from './client-status.tsx';
import { EditClient } from './edit-client.tsx';

const own = texts.clients;

export function ClientPage() {
  const { clientId = '' } = useParams();
  const query = useQuery(clientQuery(clientId));
  const projects = useQuery(projectsQuery({ client_id: clientId }));
  const { data: plans = [] } = useQuery(plansQuery());
  const mayWrite = useMay('write');
  const resend = useAct('clients', () => answer(api.POST('/clients/{clientId}/invitation', { params: { path: { clientId } }, body: {} })));
  const client = query.data?.body.client;

  return (
    <Page
      title={client === undefined ? own.one : clientName(client)}
      text={client === undefined || clientName(client) === client.email ? undefined : client.email}
      back={{ to: '/clients', label: own.title }}
      actions={
        client === undefined || !mayWrite ? null : (
          <>
            {client.status === 'invited' ? (
              <Button className="button" onPress={() => resend.mutate()} isPending={resend.isPending}>
                {own.resend}
              </Button>
            ) : null}
            <EditClient clientId={clientId} />
          </>
        )
      }
    >
      <ProblemNotice error={resend.error} />
      {resend.isSuccess ? (
        <p className="notice good" role="status">
          {own.resent}
        </p>
      ) : null}
      <Card title={own.details} padded>
        <Loaded query={query}>
          {({ body: { client } }) => (
            <dl className="facts">
              <dt>{own.status}</dt>
              <dd>
                <ClientStatus {...client} />
              </dd>
              <dt>{own.plan}</dt>
              <dd>{plans.find(({ id }) => id === client.plan_id)?.name ?? own.noPlan}</dd>
              <dt>{own.payment}</dt>
              <dd>
                <PaymentStatus {...client} />
              </dd>
              <dt>{own.company}</dt>
              <dd>{client.company ?? '–'}</dd>
              <dt>{own.since}</dt>
              <dd>
                <Moment at={client.created_at} />
              </dd>
            </dl>
          )}
        </Loaded>
      </Card>
      <Card
        title={own.projects}
        actions={
          <Link className="link small" to="/projects">
            {texts.overview.all}
          </Link>
        }
      >
        <Loaded
          query={projects}
          empty={{ when: ({ total }) => total === 0, show: <Empty title={own.noProjects} text={own.noProjectsText} /> }}
        >
          {(found) => <ProjectRecords projects={found.projects} />}
        </Loaded>
      </Card>
    </Page>
  );
}
