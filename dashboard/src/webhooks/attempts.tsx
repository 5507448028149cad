import type { Delivery } from '../api/records.ts';
import { Timestamp } from '../components/content/timestamp.tsx';
import { texts } from '../texts.ts';

const t = texts.webhooks;

/** The attempts of a delivery, newest first, with the start of each answer. */
export function Attempts({ attempts }: Pick<Delivery, 'attempts'>) {
  return (
    <ol className="stack attempts">
      {attempts.toReversed().map((attempt) => (
        <li key={attempt.at} className="two-lines">
          <span>
            <Timestamp at={attempt.at} /> · {attempt.status_code === null ? t.noAnswer : `HTTP ${attempt.status_code}`} ·{' '}
            <span className="number">{attempt.latency_ms} ms</span>
          </span>
          {attempt.reason === null ? null : <span>{attempt.reason}</span>}
          {attempt.response ? <code className="anywhere">{attempt.response}</code> : null}
        </li>
      ))}
    </ol>
  );
}
