import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { answer, api } from '../api/client.ts';
import { useMay } from '../api/may.ts';
import { embedClientsQuery } from '../api/records.ts';
import { CreateDialog } from '../components/create-dialog.tsx';
import { Empty } from '../components/empty.tsx';
import { Moment } from '../components/moment.tsx';
import { Page } from '../components/page.tsx';
import { RecordList } from '../components/record-list.tsx';
import { SecretWindow } from '../components/secret-window.tsx';
import { Snippet } from '../components/snippet.tsx';
import { texts } from '../texts.ts';
import { EmbedClientActions, type Pair } from './embed-client-actions.tsx';
import { EmbedClientFields, filledIn } from './embed-client-fields.tsx';

const own = texts.embedding;

const environment = ({ embed_client, secret }: Pair) => `WEBKILN_EMBED_CLIENT_ID=${embed_client.id}\nWEBKILN_EMBED_CLIENT_SECRET=${secret}`;

export function EmbeddingPage() {
  const query = useQuery(embedClientsQuery());
  const mayManage = useMay('manageEmbedding');
  const [made, setMade] = useState<Pair>();
  const create = (
    <CreateDialog
      label={own.create}
      text={own.createText}
      area="embed-clients"
      create={(filled) => answer(api.POST('/account/embed-clients', { body: filledIn(filled) }))}
      onCreated={setMade}
    >
      <EmbedClientFields />
    </CreateDialog>
  );
  return (
    <Page title={own.title} text={own.text} actions={mayManage ? create : null}>
      <RecordList
        label={own.title}
        query={query}
        records={(clients) => clients}
        empty={<Empty title={own.empty} text={own.emptyText} />}
        columns={[
          {
            name: own.client,
            cell: ({ id, name }) => (
              <span className="two-lines">
                <strong>{name}</strong>
                <code className="anywhere">{id}</code>
              </span>
            ),
          },
          {
            name: own.origins,
            wide: true,
            cell: ({ allowed_origins }) => <span className="soft small lines anywhere">{allowed_origins.join('\n')}</span>,
          },
          {
            name: own.secret,
            wide: true,
            cell: ({ secret_prefix, previous_secret_until }) => (
              <span className="two-lines">
                <code>{secret_prefix}…</code>
                {isAhead(previous_secret_until) ? (
                  <span>
                    {own.oldWorks} <Moment at={previous_secret_until} />
                  </span>
                ) : null}
              </span>
            ),
          },
          { name: own.created, cell: ({ created_at }) => <Moment at={created_at} />, wide: true },
          {
            name: texts.actions.more,
            unnamed: true,
            end: true,
            cell: (client) => (mayManage ? <EmbedClientActions client={client} onRotated={setMade} /> : null),
          },
        ]}
      />
      <SecretWindow
        title={own.secretTitle}
        text={own.secretText}
        label={own.secret}
        secret={made?.secret}
        onClose={() => setMade(undefined)}
      >
        <p className="label">{own.environment}</p>
        {made === undefined ? null : <Snippet text={environment(made)} label={own.environment} />}
      </SecretWindow>
    </Page>
  );
}

const isAhead = (at: string | null) => at !== null && Date.parse(at) > Date.now();
