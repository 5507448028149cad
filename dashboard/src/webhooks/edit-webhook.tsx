import { answer, api } from '../api/client.ts';
import { webhookQuery } from '../api/records.ts';
import { EditDialog } from '../components/edit-dialog.tsx';
import { Field } from '../components/field.tsx';
import { Tick } from '../components/tick.tsx';
import { texts } from '../texts.ts';
import { EventChoice, type EventName } from './event-choice.tsx';

const own = texts.webhooks;

export function EditWebhook({ webhookId }: { webhookId: string }) {
  return (
    <EditDialog
      title={own.edit}
      record={webhookQuery(webhookId)}
      save={(filled, etag) => {
        const body = { url: filled.text('url'), events: filled.all('events') as EventName[], is_active: filled.isOn('is_active') };
        return answer(api.PATCH('/webhooks/{webhookId}', { params: { path: { webhookId }, header: { 'If-Match': etag } }, body }));
      }}
    >
      {({ webhook }) => (
        <>
          <Field label={own.url} name="url" type="url" hint={own.urlHint} defaultValue={webhook.url} maxLength={2048} isRequired />
          <EventChoice initial={webhook.events} />
          <Tick name="is_active" defaultSelected={webhook.is_active}>
            {own.switchOn}
          </Tick>
        </>
      )}
    </EditDialog>
  );
}
