import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from 'react-router';
import { Snippet } from '../components/content/snippet.tsx';
import { Badge } from '../components/feedback/badge.tsx';
import { EmptyState } from '../components/feedback/empty-state.tsx';
import { QueryBoundary } from '../components/feedback/query-boundary.tsx';
import { Card } from '../components/layout/card.tsx';
import { Page } from '../components/layout/page.tsx';
import { language } from '../texts/language.ts';
import { texts } from '../texts.ts';
import { anyCredential, anyStatus, type LoggedRequest, requestsQuery } from './request-query.ts';
import { requestLine, toneOf } from './request-records.tsx';

const t = texts.requests;
const exact = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'long' });

/** What the log has of one request id. Callers may choose their ids, so there can be several requests. */
export function RequestPage() {
  const { requestId = '' } = useParams();
  const query = useQuery(requestsQuery({ requestId, by: anyCredential, status: anyStatus, offset: 0 }));
  return (
    <Page title={t.details} back={{ to: '/requests', label: texts.pages.requests }}>
      <Snippet text={requestId} label={t.id} />
      <QueryBoundary
        query={query}
        empty={{
          when: ({ total }) => total === 0,
          show: (
            <Card>
              <EmptyState title={t.notFound} text={t.notFoundText} />
            </Card>
          ),
        }}
      >
        {({ requests }) => requests.map((request) => <Details key={request.id} request={request} />)}
      </QueryBoundary>
    </Page>
  );
}

function Details({ request }: { request: LoggedRequest }) {
  const { at, status, code, message, duration_ms, credential, agent, network } = request;
  return (
    <Card title={requestLine(request)} padded>
      <div className="stack">
        <dl className="facts">
          <dt>{t.status}</dt>
          <dd>
            <Badge tone={toneOf(status)}>{status}</Badge>
          </dd>
          {code === null ? null : (
            <>
              <dt>{t.code}</dt>
              <dd className="two-lines">
                <code>{code}</code>
                <span>{message}</span>
              </dd>
            </>
          )}
          <dt>{t.duration}</dt>
          <dd className="number">{duration_ms} ms</dd>
          <dt>{t.at}</dt>
          <dd>
            <time dateTime={at}>{exact.format(new Date(at))}</time>
          </dd>
          <dt>{t.by}</dt>
          <dd>
            {credential.kind === 'api_key' ? (
              <Link className="link" to={`/requests?by=${credential.id}`}>
                {credential.name ?? credential.id}
              </Link>
            ) : (
              (credential.name ?? credential.id)
            )}{' '}
            {credential.prefix === null ? null : <code>{credential.prefix}…</code>}
          </dd>
          <dt>{t.agent}</dt>
          <dd>{agent ?? '–'}</dd>
          <dt>{t.network}</dt>
          <dd className="number">{network ?? '–'}</dd>
        </dl>
        <a className="link small" href="/docs/reference" target="_blank" rel="noreferrer">
          {t.reference}
        </a>
      </div>
    </Card>
  );
}
