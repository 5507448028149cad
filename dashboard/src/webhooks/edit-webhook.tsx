import { api, readJson } from '../api/client.ts';
import { webhookQuery } from '../api/records.ts';
import { EditDialog } from '../components/dialogs/edit-dialog.tsx';
import { Checkbox } from '../components/forms/checkbox.tsx';
import { Field } from '../components/forms/field.tsx';
import { texts } from '../texts.ts';
import { EventCheckboxes, type EventName } from './event-checkboxes.tsx';

const t = texts.webhooks;

export function EditWebhook({ webhookId }: { webhookId: string }) {
  return (
    <EditDialog
      title={t.edit}
      record={webhookQuery(webhookId)}
      save={(values, etag) => {
        const body = { url: values.text('url'), events: values.all('events') as EventName[], is_active: values.isOn('is_active') };
        return readJson(api.PATCH('/webhooks/{webhookId}', { params: { path: { webhookId }, header: { 'If-Match': etag } }, body }));
      }}
    >
      {({ webhook }) => (
        <>
          <Field label={t.url} name="url" type="url" hint={t.urlHint} defaultValue={webhook.url} maxLength={2048} isRequired />
          <EventCheckboxes initial={webhook.events} />
          <Checkbox name="is_active" defaultSelected={webhook.is_active}>
            {t.switchOn}
          </Checkbox>
        </>
      )}
    </EditDialog>
  );
}
