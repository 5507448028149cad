import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { api, readJson, type Schemas } from '../api/client.ts';
import { usePermission } from '../api/permissions.ts';
import { webhooksQuery } from '../api/records.ts';
import { curl } from '../components/content/curl.ts';
import { Timestamp } from '../components/content/timestamp.tsx';
import { CreateDialog } from '../components/dialogs/create-dialog.tsx';
import { SecretModal } from '../components/dialogs/secret-modal.tsx';
import { Badge } from '../components/feedback/badge.tsx';
import { EmptyState } from '../components/feedback/empty-state.tsx';
import { Field } from '../components/forms/field.tsx';
import { Page } from '../components/layout/page.tsx';
import { RecordList } from '../components/tables/record-list.tsx';
import { texts } from '../texts.ts';
import { EventCheckboxes, type EventName } from './event-checkboxes.tsx';

const t = texts.webhooks;
const request = curl('POST', '/webhooks', { url: 'https://example.com/hook', events: ['project.published'] });

export function WebhooksPage() {
  const query = useQuery(webhooksQuery());
  const canWrite = usePermission('write');
  const navigate = useNavigate();
  const [created, setCreated] = useState<Schemas['WebhookWithSecret']>();
  const create = (
    <CreateDialog
      label={t.create}
      submit={t.createSubmit}
      area="webhooks"
      create={(values) =>
        readJson(api.POST('/webhooks', { body: { url: values.text('url'), events: values.all('events') as EventName[] } }))
      }
      onCreated={({ webhook }) => setCreated(webhook)}
    >
      <Field label={t.url} name="url" type="url" hint={t.urlHint} placeholder="https://" maxLength={2048} isRequired autoFocus />
      <EventCheckboxes initial={[]} />
    </CreateDialog>
  );

  return (
    <Page title={texts.pages.webhooks} text={t.text} actions={canWrite ? create : null}>
      <RecordList
        label={texts.pages.webhooks}
        query={query}
        records={(webhooks) => webhooks}
        empty={<EmptyState title={t.empty} text={t.emptyText} request={request} />}
        columns={[
          {
            name: t.url,
            cell: ({ id, url }) => (
              <Link className="row-link" to={`/webhooks/${id}`}>
                {url}
              </Link>
            ),
          },
          { name: t.events, cell: ({ events }) => <span className="soft small">{events.join(', ')}</span>, wide: true },
          { name: t.status, cell: ({ is_active }) => <WebhookStatus is_active={is_active} /> },
          { name: t.created, cell: ({ created_at }) => <Timestamp at={created_at} />, wide: true, end: true },
        ]}
      />
      <SecretModal
        title={t.secretTitle}
        text={t.secretText}
        label={t.secret}
        secret={created?.secret}
        onClose={() => {
          setCreated(undefined);
          void navigate(`/webhooks/${created?.id}`);
        }}
      />
    </Page>
  );
}

export function WebhookStatus({ is_active }: { is_active: boolean }) {
  return <Badge tone={is_active ? 'good' : 'plain'}>{is_active ? t.active : t.inactive}</Badge>;
}
