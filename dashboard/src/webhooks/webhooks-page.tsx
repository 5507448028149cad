import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { answer, api, type Schemas } from '../api/client.ts';
import { useMay } from '../api/may.ts';
import { webhooksQuery } from '../api/records.ts';
import { Badge } from '../components/badge.tsx';
import { CreateDialog } from '../components/create-dialog.tsx';
import { curl } from '../components/curl.ts';
import { Empty } from '../components/empty.tsx';
import { Field } from '../components/field.tsx';
import { Moment } from '../components/moment.tsx';
import { Page } from '../components/page.tsx';
import { RecordList } from '../components/record-list.tsx';
import { SecretWindow } from '../components/secret-window.tsx';
import { texts } from '../texts.ts';
import { EventChoice, type EventName } from './event-choice.tsx';

const own = texts.webhooks;
const request = curl('POST', '/webhooks', { url: 'https://example.com/hook', events: ['project.published'] });

export function WebhooksPage() {
  const query = useQuery(webhooksQuery());
  const mayWrite = useMay('write');
  const navigate = useNavigate();
  const [made, setMade] = useState<Schemas['WebhookWithSecret']>();
  const create = (
    <CreateDialog
      label={own.create}
      submit={own.createSubmit}
      area="webhooks"
      create={(filled) => answer(api.POST('/webhooks', { body: { url: filled.text('url'), events: filled.all('events') as EventName[] } }))}
      onCreated={({ webhook }) => setMade(webhook)}
    >
      <Field label={own.url} name="url" type="url" hint={own.urlHint} placeholder="https://" maxLength={2048} isRequired autoFocus />
      <EventChoice initial={[]} />
    </CreateDialog>
  );

  return (
    <Page title={own.title} text={own.text} actions={mayWrite ? create : null}>
      <RecordList
        label={own.title}
        query={query}
        records={(webhooks) => webhooks}
        empty={<Empty title={own.empty} text={own.emptyText} request={request} />}
        columns={[
          {
            name: own.url,
            cell: ({ id, url }) => (
              <Link className="row-link" to={`/webhooks/${id}`}>
                {url}
              </Link>
            ),
          },
          { name: own.events, cell: ({ events }) => <span className="soft small">{events.join(', ')}</span>, wide: true },
          { name: own.status, cell: ({ is_active }) => <WebhookStatus is_active={is_active} /> },
          { name: own.created, cell: ({ created_at }) => <Moment at={created_at} />, wide: true, end: true },
        ]}
      />
      <SecretWindow
        title={own.secretTitle}
        text={own.secretText}
        label={own.secret}
        secret={made?.secret}
        onClose={() => {
          setMade(undefined);
          void navigate(`/webhooks/${made?.id}`);
        }}
      />
    </Page>
  );
}

export function WebhookStatus({ is_active }: { is_active: boolean }) {
  return <Badge tone={is_active ? 'good' : 'plain'}>{is_active ? own.active : own.inactive}</Badge>;
}
