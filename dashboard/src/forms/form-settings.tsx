import { answer, api } from '../api/client.ts';
import { useMay } from '../api/may.ts';
import { EditDialog } from '../components/edit-dialog.tsx';
import { Field } from '../components/field.tsx';
import { Tick } from '../components/tick.tsx';
import { texts } from '../texts.ts';
import { formSettingsQuery } from './form-queries.ts';

const own = texts.forms;

/** Who is told by mail of what comes in. */
export function FormSettings({ projectId }: { projectId: string }) {
  const isAgency = useMay('seeOrganization');
  return (
    <EditDialog
      label={own.settings}
      title={own.settings}
      text={own.settingsText}
      record={formSettingsQuery(projectId)}
      save={(filled, etag) => {
        const body = { notify: filled.isOn('notify'), notification_email: filled.optional('notification_email') };
        const params = { path: { projectId }, header: { 'If-Match': etag } };
        return answer(api.PATCH('/projects/{projectId}/forms/settings', { params, body }));
      }}
    >
      {({ settings }) => (
        <>
          <Tick name="notify" defaultSelected={settings.notify}>
            {own.notify}
          </Tick>
          <Field
            label={own.address}
            name="notification_email"
            type="email"
            hint={isAgency ? own.addressHint : own.clientAddressHint}
            defaultValue={settings.notification_email ?? ''}
            maxLength={254}
          />
        </>
      )}
    </EditDialog>
  );
}
