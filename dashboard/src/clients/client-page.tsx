import { useQuery } from '@tanstack/react-query';
import { Button } from 'react-aria-components';
import { Link, useParams } from 'react-router';
import { api, readJson } from '../api/client.ts';
import { usePermission } from '../api/permissions.ts';
import { clientJoiningQuery, clientQuery, plansQuery, projectsQuery } from '../api/records.ts';
import { useAction } from '../api/use-action.ts';
import { Timestamp } from '../components/content/timestamp.tsx';
import { ConfirmButton } from '../components/dialogs/confirm-button.tsx';
import { EmptyState } from '../components/feedback/empty-state.tsx';
import { ProblemNotice } from '../components/feedback/problem-notice.tsx';
import { QueryBoundary } from '../components/feedback/query-boundary.tsx';
import { Card } from '../components/layout/card.tsx';
import { Page } from '../components/layout/page.tsx';
import { BillingDetails } from '../payments/billing-details.tsx';
import { SubscriptionCard } from '../payments/subscription-card.tsx';
import { ProjectRecords } from '../projects/project-records.tsx';
import { texts } from '../texts.ts';
import { ClientStatus, clientName, PaymentStatus } from './client-status.tsx';
import { EditClient } from './edit-client.tsx';
import { PlanFit } from './plan-fit.tsx';

const t = texts.clients;

export function ClientPage() {
  const { clientId = '' } = useParams();
  const query = useQuery(clientQuery(clientId));
  const { data: joining } = useQuery(clientJoiningQuery(clientId));
  const hasJoined = typeof joining?.build_link_id === 'string';
  const projects = useQuery(projectsQuery({ client_id: clientId }));
  const { data: plans = [] } = useQuery(plansQuery());
  const canWrite = usePermission('write');
  const canCharge = usePermission('managePayments');
  const canRemove = usePermission('manageJoining');
  const resend = useAction('clients', () =>
    readJson(api.POST('/clients/{clientId}/invitation', { params: { path: { clientId } }, body: {} })),
  );
  const remove = useAction('clients', () => readJson(api.POST('/clients/{clientId}/remove', { params: { path: { clientId } }, body: {} })));
  const client = query.data?.body.client;

  return (
    <Page
      title={client === undefined ? t.one : clientName(client)}
      text={client === undefined || clientName(client) === client.email ? undefined : client.email}
      back={{ to: '/clients', label: texts.pages.clients }}
      actions={
        client === undefined || !canWrite ? null : (
          <>
            {client.status === 'invited' ? (
              <Button className="button" onPress={() => resend.mutate()} isPending={resend.isPending}>
                {t.resend}
              </Button>
            ) : null}
            {canRemove && hasJoined && client.status !== 'churned' ? (
              <ConfirmButton label={t.remove} title={t.remove} text={t.removeText} variant="" action={() => remove.mutateAsync()} />
            ) : null}
            <EditClient clientId={clientId} />
          </>
        )
      }
    >
      <ProblemNotice error={resend.error} />
      {resend.isSuccess ? (
        <p className="notice good" role="status">
          {t.resent}
        </p>
      ) : null}
      <PlanFit clientId={clientId} />
      <Card title={t.details} padded>
        <QueryBoundary query={query}>
          {({ body: { client } }) => (
            <dl className="facts">
              <dt>{t.status}</dt>
              <dd>
                <ClientStatus {...client} />
              </dd>
              <dt>{t.plan}</dt>
              <dd>{plans.find(({ id }) => id === client.plan_id)?.name ?? t.noPlan}</dd>
              <dt>{t.payment}</dt>
              <dd>
                <PaymentStatus {...client} />
              </dd>
              <dt>{t.company}</dt>
              <dd>{client.company ?? '–'}</dd>
              {hasJoined ? (
                <>
                  <dt>{t.joined}</dt>
                  <dd>{t.joinedByLink}</dd>
                </>
              ) : null}
              <dt>{t.since}</dt>
              <dd>
                <Timestamp at={client.created_at} />
              </dd>
            </dl>
          )}
        </QueryBoundary>
      </Card>
      {client === undefined || !canCharge ? null : (
        <>
          <SubscriptionCard client={client} />
          <BillingDetails client={client} />
        </>
      )}
      <Card
        title={t.projects}
        actions={
          <Link className="link small" to="/projects">
            {texts.overview.all}
          </Link>
        }
      >
        <QueryBoundary
          query={projects}
          empty={{ when: ({ total }) => total === 0, show: <EmptyState title={t.noProjects} text={t.noProjectsText} /> }}
        >
          {(found) => <ProjectRecords projects={found.projects} />}
        </QueryBoundary>
      </Card>
    </Page>
  );
}
