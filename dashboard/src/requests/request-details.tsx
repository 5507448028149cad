import { Button } from 'react-aria-components';
import { Snippet } from '../components/content/snippet.tsx';
import { language } from '../texts/language.ts';
import { texts } from '../texts.ts';
import type { LoggedRequest } from './request-query.ts';

const t = texts.requests;
const exact = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'long' });

export function RequestDetails({ request, onClose }: { request: LoggedRequest; onClose: () => void }) {
  const { request_id, at, status, code, duration_ms, credential } = request;
  return (
    <>
      <dl className="facts">
        <dt>{t.status}</dt>
        <dd>
          {status} {code === null ? null : <code>{code}</code>}
        </dd>
        <dt>{t.by}</dt>
        <dd>
          {credential.name ?? credential.id} {credential.prefix === null ? null : <code>{credential.prefix}…</code>}
        </dd>
        <dt>{t.at}</dt>
        <dd>
          <time dateTime={at}>{exact.format(new Date(at))}</time>
        </dd>
        <dt>{t.duration}</dt>
        <dd className="number">{duration_ms} ms</dd>
      </dl>
      <div>
        <p className="label">{t.id}</p>
        <Snippet text={request_id} label={t.id} />
      </div>
      <div className="actions end">
        <Button className="button" onPress={onClose}>
          {texts.actions.close}
        </Button>
      </div>
    </>
  );
}
