import { Button } from 'react-aria-components';
import { usePermission } from '../api/permissions.ts';
import type { Delivery } from '../api/records.ts';
import { useAction } from '../api/use-action.ts';
import { Timestamp } from '../components/content/timestamp.tsx';
import { ProblemNotice } from '../components/feedback/problem-notice.tsx';
import { texts } from '../texts.ts';

const t = texts.webhooks;

/** The attempts of a delivery, with a button to send it again. */
export function DeliveryDetails({ delivery, onSend }: { delivery: Delivery; onSend: () => Promise<void> }) {
  const canWrite = usePermission('write');
  const send = useAction('webhooks', onSend);
  return (
    <>
      <dl className="facts">
        <dt>webhook-id</dt>
        <dd>
          <code>{delivery.event_id}</code>
        </dd>
        <dt>{t.status}</dt>
        <dd>{t.statuses[delivery.status]}</dd>
        <dt>{t.next}</dt>
        <dd>
          <Timestamp at={delivery.next_attempt_at} fallback="–" />
        </dd>
      </dl>
      <ol className="stack attempts">
        {delivery.attempts.map((attempt) => (
          <li key={attempt.at} className="two-lines">
            <span>
              <Timestamp at={attempt.at} /> · {attempt.status_code === null ? t.noAnswer : `HTTP ${attempt.status_code}`} ·{' '}
              <span className="number">{attempt.latency_ms} ms</span>
            </span>
            <span>{[attempt.reason, attempt.response].filter(Boolean).join(' ')}</span>
          </li>
        ))}
      </ol>
      <ProblemNotice error={send.error} />
      {canWrite ? (
        <div className="actions end">
          <Button className="button primary" onPress={() => send.mutate()} isPending={send.isPending}>
            {t.send}
          </Button>
        </div>
      ) : null}
    </>
  );
}
