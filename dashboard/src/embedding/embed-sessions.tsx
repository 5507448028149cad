import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { api, readJson, type Schemas } from '../api/client.ts';
import { embedClientsQuery } from '../api/records.ts';
import { useAction } from '../api/use-action.ts';
import { Timestamp } from '../components/content/timestamp.tsx';
import { ConfirmButton } from '../components/dialogs/confirm-button.tsx';
import { EmptyState } from '../components/feedback/empty-state.tsx';
import { RecordList } from '../components/tables/record-list.tsx';
import { texts } from '../texts.ts';

const t = texts.embedding.sessions;
const area = 'embed-sessions';
const limit = 25;

type EmbedSession = Schemas['EmbedSession'];

/** The open embed sessions of the organization's products, newest first. */
export function EmbedSessions() {
  const [offset, setOffset] = useState(0);
  const { data: clients = [] } = useQuery(embedClientsQuery());
  const query = useQuery({
    queryKey: [area, offset],
    placeholderData: keepPreviousData,
    queryFn: () => readJson(api.GET('/account/embed-sessions', { params: { query: { limit, offset } } })),
  });
  const revoke = useAction(area, (id: string) =>
    readJson(api.DELETE('/account/embed-sessions/{embedSessionId}', { params: { path: { embedSessionId: id } } })),
  );
  const productOf = ({ embed_client_id }: EmbedSession) => clients.find(({ id }) => id === embed_client_id)?.name ?? embed_client_id;
  return (
    <RecordList
      label={t.title}
      titled
      query={query}
      records={({ embed_sessions }) => embed_sessions}
      pages={{ limit, offset, total: ({ total }) => total, onOffsetChange: setOffset }}
      empty={<EmptyState title={t.empty} text={t.emptyText} />}
      columns={[
        {
          name: t.user,
          cell: (session) => (
            <span className="two-lines">
              <strong className="anywhere">{session.external_user_id}</strong>
              <span className="soft small">{productOf(session)}</span>
            </span>
          ),
        },
        {
          name: t.project,
          wide: true,
          cell: ({ project_id }) => (
            <Link className="link above" to={`/projects/${project_id}`}>
              {t.openProject}
            </Link>
          ),
        },
        { name: t.opened, wide: true, cell: ({ created_at }) => <Timestamp at={created_at} /> },
        { name: t.ends, cell: ({ expires_at }) => <Timestamp at={expires_at} /> },
        {
          name: texts.actions.more,
          unnamed: true,
          end: true,
          cell: ({ id, external_user_id }) => (
            <ConfirmButton
              label={t.revoke}
              title={`${t.revokeTitle}: ${external_user_id}`}
              text={t.revokeText}
              action={() => revoke.mutateAsync(id)}
            />
          ),
        },
      ]}
    />
  );
}
