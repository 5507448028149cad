import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { useNavigate, useParams } from 'react-router';
import { api, readJson } from '../api/client.ts';
import { usePermission } from '../api/permissions.ts';
import { webhookQuery, webhookSecretsQuery } from '../api/records.ts';
import { useAction } from '../api/use-action.ts';
import { Timestamp } from '../components/content/timestamp.tsx';
import { ConfirmButton } from '../components/dialogs/confirm-button.tsx';
import { SecretModal } from '../components/dialogs/secret-modal.tsx';
import { Badge } from '../components/feedback/badge.tsx';
import { ProblemNotice } from '../components/feedback/problem-notice.tsx';
import { QueryBoundary } from '../components/feedback/query-boundary.tsx';
import { Card } from '../components/layout/card.tsx';
import { Page } from '../components/layout/page.tsx';
import { membersQuery } from '../members/member-queries.ts';
import { texts } from '../texts.ts';
import { Attempts } from './attempts.tsx';
import { Deliveries } from './deliveries.tsx';
import { EditWebhook } from './edit-webhook.tsx';
import { ReplayButton } from './replay-button.tsx';
import { WebhookStatus } from './webhooks-page.tsx';

const t = texts.webhooks;

export function WebhookPage() {
  const { webhookId = '' } = useParams();
  const params = { path: { webhookId } };
  const query = useQuery(webhookQuery(webhookId));
  const canWrite = usePermission('write');
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const [secret, setSecret] = useState<string>();
  const test = useAction('webhooks', () => readJson(api.POST('/webhooks/{webhookId}/test', { params, body: {} })));
  const attempt = test.data?.delivery.attempts.at(-1);

  async function rotate() {
    const { webhook } = await readJson(api.POST('/webhooks/{webhookId}/rotate-secret', { params, body: {} }));
    setSecret(webhook.secret);
    await queryClient.invalidateQueries({ queryKey: ['webhooks', 'secrets'] });
  }
  async function remove() {
    await readJson(api.DELETE('/webhooks/{webhookId}', { params }));
    await navigate('/webhooks');
  }

  return (
    <Page
      title={query.data?.body.webhook.url ?? texts.pages.webhooks}
      back={{ to: '/webhooks', label: texts.pages.webhooks }}
      actions={
        canWrite ? (
          <>
            <ConfirmButton label={t.remove} title={t.remove} text={t.removeText} variant="quiet" action={remove} />
            <ConfirmButton label={t.rotate} title={t.rotate} text={t.rotateText} variant="" action={rotate} />
            <EditWebhook webhookId={webhookId} />
            <Button className="button primary" onPress={() => test.mutate()} isPending={test.isPending}>
              {t.test}
            </Button>
          </>
        ) : null
      }
    >
      <ProblemNotice error={test.error} />
      {test.data === undefined ? null : (
        <div className={`notice ${test.data.delivery.status === 'delivered' ? 'good' : 'bad'}`} role="status">
          <span>{test.data.delivery.status === 'delivered' ? t.testPassed({ ms: attempt?.latency_ms ?? 0 }) : t.testFailed}</span>
          <Attempts attempts={test.data.delivery.attempts} />
        </div>
      )}
      <Card padded>
        <QueryBoundary query={query}>
          {({ body: { webhook } }) => (
            <dl className="facts">
              <dt>{t.status}</dt>
              <dd>
                <WebhookStatus is_active={webhook.is_active} />
              </dd>
              <dt>{t.events}</dt>
              <dd>{webhook.events.join(', ')}</dd>
              {canWrite ? (
                <>
                  <dt>{t.knownTo}</dt>
                  <dd>
                    <KnownTo webhookId={webhookId} />
                  </dd>
                </>
              ) : null}
              <dt>{t.created}</dt>
              <dd>
                <Timestamp at={webhook.created_at} />
              </dd>
            </dl>
          )}
        </QueryBoundary>
      </Card>
      <Deliveries webhookId={webhookId} actions={canWrite ? <ReplayButton webhookId={webhookId} /> : null} />
      <SecretModal title={t.secretTitle} text={t.secretText} label={t.secret} secret={secret} onClose={() => setSecret(undefined)} />
    </Page>
  );
}

/** The member who was shown the secret, or that it has left since. */
function KnownTo({ webhookId }: { webhookId: string }) {
  const { data: members } = useQuery(membersQuery());
  const { data: secrets } = useQuery(webhookSecretsQuery());
  const secret = secrets?.find(({ id }) => id === webhookId);
  if (members === undefined || secret === undefined) return null;
  if (secret.shown_to === null) return t.knownToNobody;
  const member = members.find(({ id }) => id === secret.shown_to);
  return member === undefined ? <Badge tone="warn">{t.knownToFormer}</Badge> : member.email;
}
