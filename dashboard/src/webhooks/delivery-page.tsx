import { useQuery } from '@tanstack/react-query';
import { Button } from 'react-aria-components';
import { useParams } from 'react-router';
import { api, readJson, type Schemas } from '../api/client.ts';
import { usePermission } from '../api/permissions.ts';
import { deliveryQuery } from '../api/records.ts';
import { useAction } from '../api/use-action.ts';
import { Snippet } from '../components/content/snippet.tsx';
import { Timestamp } from '../components/content/timestamp.tsx';
import { ProblemNotice } from '../components/feedback/problem-notice.tsx';
import { QueryBoundary } from '../components/feedback/query-boundary.tsx';
import { Card } from '../components/layout/card.tsx';
import { Page } from '../components/layout/page.tsx';
import { texts } from '../texts.ts';
import { Attempts } from './attempts.tsx';
import { DeliveryStatus } from './deliveries.tsx';

const t = texts.webhooks;

/** One delivery: what was sent, what each attempt brought, and when the next one is. */
export function DeliveryPage() {
  const { webhookId = '', deliveryId = '' } = useParams();
  const params = { path: { webhookId, deliveryId } };
  const canWrite = usePermission('write');
  const query = useQuery(deliveryQuery(webhookId, deliveryId));
  const send = useAction('webhooks', () => readJson(api.POST('/webhooks/{webhookId}/deliveries/{deliveryId}/retry', { params, body: {} })));
  return (
    <Page
      title={query.data?.event ?? t.delivery}
      back={{ to: `/webhooks/${webhookId}`, label: t.deliveries }}
      actions={
        canWrite ? (
          <Button className="button primary" onPress={() => send.mutate()} isPending={send.isPending}>
            {t.send}
          </Button>
        ) : null
      }
    >
      <ProblemNotice error={send.error} />
      <QueryBoundary query={query}>
        {(delivery) => (
          <>
            <Card padded>
              <dl className="facts">
                <dt>{t.status}</dt>
                <dd>
                  <DeliveryStatus {...delivery} />
                </dd>
                <dt>{t.when}</dt>
                <dd>
                  <Timestamp at={delivery.created_at} />
                </dd>
                <dt>{t.deliveredAt}</dt>
                <dd>
                  <Timestamp at={delivery.delivered_at} fallback="–" />
                </dd>
                <dt>{t.next}</dt>
                <dd>
                  <Timestamp at={delivery.next_attempt_at} fallback="–" />
                </dd>
              </dl>
            </Card>
            <Card title={t.attempts} padded>
              {delivery.attempts.length === 0 ? <p className="soft">{t.noAttempts}</p> : <Attempts attempts={delivery.attempts} />}
            </Card>
            <Sent {...delivery.request} />
          </>
        )}
      </QueryBoundary>
    </Page>
  );
}

function Sent({ headers, body }: Schemas['DeliveryRequest']) {
  return (
    <Card title={t.sent} padded>
      <div className="stack">
        <Snippet text={headers.map(({ name, value }) => `${name}: ${value}`).join('\n')} label={t.headers} />
        <p className="soft small">{t.headersText}</p>
        {body === null ? <p className="soft">{t.bodyGone}</p> : <Snippet text={body} label={t.body} />}
      </div>
    </Card>
  );
}
