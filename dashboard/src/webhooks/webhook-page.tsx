import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { useNavigate, useParams } from 'react-router';
import { answer, api } from '../api/client.ts';
import { useMay } from '../api/may.ts';
import { webhookQuery } from '../api/records.ts';
import { Card } from '../components/card.tsx';
import { ConfirmButton } from '../components/confirm-button.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Moment } from '../components/moment.tsx';
import { ProblemNotice } from '../components/notice.tsx';
import { Page } from '../components/page.tsx';
import { SecretWindow } from '../components/secret-window.tsx';
import { useAct } from '../components/use-act.ts';
import { texts } from '../texts.ts';
import { Deliveries } from './deliveries.tsx';
import { EditWebhook } from './edit-webhook.tsx';
import { ReplayButton } from './replay-button.tsx';
import { WebhookStatus } from './webhooks-page.tsx';

const own = texts.webhooks;

export function WebhookPage() {
  const { webhookId = '' } = useParams();
  const params = { path: { webhookId } };
  const query = useQuery(webhookQuery(webhookId));
  const mayWrite = useMay('write');
  const navigate = useNavigate();
  const [secret, setSecret] = useState<string>();
  const test = useAct('webhooks', () => answer(api.POST('/webhooks/{webhookId}/test', { params, body: {} })));
  const attempt = test.data?.delivery.attempts.at(-1);

  async function rotate() {
    const { webhook } = await answer(api.POST('/webhooks/{webhookId}/rotate-secret', { params, body: {} }));
    setSecret(webhook.secret);
  }
  async function remove() {
    await answer(api.DELETE('/webhooks/{webhookId}', { params }));
    await navigate('/webhooks');
  }

  return (
    <Page
      title={query.data?.body.webhook.url ?? own.title}
      back={{ to: '/webhooks', label: own.title }}
      actions={
        mayWrite ? (
          <>
            <ConfirmButton label={own.remove} title={own.remove} text={own.removeText} look="quiet" action={remove} />
            <ConfirmButton label={own.rotate} title={own.rotate} text={own.rotateText} look="" action={rotate} />
            <EditWebhook webhookId={webhookId} />
            <Button className="button primary" onPress={() => test.mutate()} isPending={test.isPending}>
              {own.test}
            </Button>
          </>
        ) : null
      }
    >
      <ProblemNotice error={test.error} />
      {test.data === undefined ? null : (
        <div className={`notice ${test.data.delivery.status === 'delivered' ? 'good' : 'bad'}`} role="status">
          <span>{test.data.delivery.status === 'delivered' ? own.testPassed(attempt?.latency_ms ?? 0) : own.testFailed}</span>
          {attempt?.reason ? <span className="small">{attempt.reason}</span> : null}
        </div>
      )}
      <Card padded>
        <Loaded query={query}>
          {({ body: { webhook } }) => (
            <dl className="facts">
              <dt>{own.status}</dt>
              <dd>
                <WebhookStatus is_active={webhook.is_active} />
              </dd>
              <dt>{own.events}</dt>
              <dd>{webhook.events.join(', ')}</dd>
              <dt>{own.created}</dt>
              <dd>
                <Moment at={webhook.created_at} />
              </dd>
            </dl>
          )}
        </Loaded>
      </Card>
      <Deliveries webhookId={webhookId} actions={mayWrite ? <ReplayButton webhookId={webhookId} /> : null} />
      <SecretWindow title={own.secretTitle} text={own.secretText} label={own.secret} secret={secret} onClose={() => setSecret(undefined)} />
    </Page>
  );
}
