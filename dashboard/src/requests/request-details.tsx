import { Button } from 'react-aria-components';
import { Snippet } from '../components/snippet.tsx';
import { texts } from '../texts.ts';
import type { LoggedRequest } from './request-query.ts';

const own = texts.requests;
const exact = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'long' });

/** All that the log knows of a request. */
export function RequestDetails({ request, onClose }: { request: LoggedRequest; onClose: () => void }) {
  const { request_id, at, status, code, duration_ms, credential } = request;
  return (
    <>
      <dl className="facts">
        <dt>{own.status}</dt>
        <dd>
          {status} {code === null ? null : <code>{code}</code>}
        </dd>
        <dt>{own.by}</dt>
        <dd>
          {credential.name ?? credential.id} {credential.prefix === null ? null : <code>{credential.prefix}…</code>}
        </dd>
        <dt>{own.at}</dt>
        <dd>
          <time dateTime={at}>{exact.format(new Date(at))}</time>
        </dd>
        <dt>{own.duration}</dt>
        <dd className="number">{duration_ms} ms</dd>
      </dl>
      <div>
        <p className="label">{own.id}</p>
        <Snippet text={request_id} label={own.id} />
      </div>
      <div className="actions end">
        <Button className="button" onPress={onClose}>
          {texts.actions.close}
        </Button>
      </div>
    </>
  );
}
