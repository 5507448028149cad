import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, readJson } from '../api/client.ts';
import { usePermission } from '../api/permissions.ts';
import { embedClientsQuery } from '../api/records.ts';
import { BuildLinks } from '../build/build-links.tsx';
import { Snippet } from '../components/content/snippet.tsx';
import { Timestamp } from '../components/content/timestamp.tsx';
import { CreateDialog } from '../components/dialogs/create-dialog.tsx';
import { SecretModal } from '../components/dialogs/secret-modal.tsx';
import { EmptyState } from '../components/feedback/empty-state.tsx';
import { Page } from '../components/layout/page.tsx';
import { RecordList } from '../components/tables/record-list.tsx';
import { texts } from '../texts.ts';
import { EmbedClientActions, type EmbedClientWithSecret } from './embed-client-actions.tsx';
import { EmbedClientFields, embedClientBody } from './embed-client-fields.tsx';
import { EmbedSessions } from './embed-sessions.tsx';

const t = texts.embedding;

const environment = ({ embed_client, secret }: EmbedClientWithSecret) =>
  `WEBKILN_EMBED_CLIENT_ID=${embed_client.id}\nWEBKILN_EMBED_CLIENT_SECRET=${secret}`;

export function EmbeddingPage() {
  const query = useQuery(embedClientsQuery());
  const canManage = usePermission('manageEmbedding');
  const canBuild = usePermission('build');
  const [created, setCreated] = useState<EmbedClientWithSecret>();
  const create = (
    <CreateDialog
      label={t.create}
      text={t.createText}
      area="embed-clients"
      create={(values) => readJson(api.POST('/account/embed-clients', { body: embedClientBody(values) }))}
      onCreated={setCreated}
    >
      <EmbedClientFields />
    </CreateDialog>
  );
  return (
    <Page title={texts.pages.embedding} text={t.text} actions={canManage ? create : null}>
      <RecordList
        label={texts.pages.embedding}
        query={query}
        records={(clients) => clients}
        empty={<EmptyState title={t.empty} text={t.emptyText} />}
        columns={[
          {
            name: t.client,
            cell: ({ id, name }) => (
              <span className="two-lines">
                <strong>{name}</strong>
                <code className="anywhere">{id}</code>
              </span>
            ),
          },
          {
            name: t.origins,
            wide: true,
            cell: ({ allowed_origins }) => <span className="soft small lines anywhere">{allowed_origins.join('\n')}</span>,
          },
          {
            name: t.secret,
            wide: true,
            cell: ({ secret_prefix, previous_secret_until }) => (
              <span className="two-lines">
                <code>{secret_prefix}…</code>
                {isFuture(previous_secret_until) ? (
                  <span>
                    {t.oldWorks} <Timestamp at={previous_secret_until} />
                  </span>
                ) : null}
              </span>
            ),
          },
          { name: t.created, cell: ({ created_at }) => <Timestamp at={created_at} />, wide: true },
          {
            name: texts.actions.more,
            unnamed: true,
            end: true,
            cell: (client) => (canManage ? <EmbedClientActions client={client} onRotated={setCreated} /> : null),
          },
        ]}
      />
      {canManage ? <EmbedSessions /> : null}
      {canBuild ? <BuildLinks /> : null}
      <SecretModal
        title={t.secretTitle}
        text={t.secretText}
        label={t.secret}
        secret={created?.secret}
        onClose={() => setCreated(undefined)}
      >
        <p className="label">{t.environment}</p>
        {created === undefined ? null : <Snippet text={environment(created)} label={t.environment} />}
      </SecretModal>
    </Page>
  );
}

const isFuture = (at: string | null) => at !== null && Date.parse(at) > Date.now();
