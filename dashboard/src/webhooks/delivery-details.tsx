import { Button } from 'react-aria-components';
import { useMay } from '../api/may.ts';
import type { Delivery } from '../api/records.ts';
import { Moment } from '../components/moment.tsx';
import { ProblemNotice } from '../components/notice.tsx';
import { useAct } from '../components/use-act.ts';
import { texts } from '../texts.ts';

const own = texts.webhooks;

/** Every attempt of a delivery, and the way to one more. */
export function DeliveryDetails({ delivery, onSend }: { delivery: Delivery; onSend: () => Promise<void> }) {
  const mayWrite = useMay('write');
  const send = useAct('webhooks', onSend);
  return (
    <>
      <dl className="facts">
        <dt>webhook-id</dt>
        <dd>
          <code>{delivery.event_id}</code>
        </dd>
        <dt>{own.status}</dt>
        <dd>{own.statuses[delivery.status]}</dd>
        <dt>{own.next}</dt>
        <dd>
          <Moment at={delivery.next_attempt_at} otherwise="–" />
        </dd>
      </dl>
      <ol className="stack attempts">
        {delivery.attempts.map((attempt) => (
          <li key={attempt.at} className="two-lines">
            <span>
              <Moment at={attempt.at} /> · {attempt.status_code === null ? own.noAnswer : `HTTP ${attempt.status_code}`} ·{' '}
              <span className="number">{attempt.latency_ms} ms</span>
            </span>
            <span>{[attempt.reason, attempt.response].filter(Boolean).join(' ')}</span>
          </li>
        ))}
      </ol>
      <ProblemNotice error={send.error} />
      {mayWrite ? (
        <div className="actions end">
          <Button className="button primary" onPress={() => send.mutate()} isPending={send.isPending}>
            {own.send}
          </Button>
        </div>
      ) : null}
    </>
  );
}
