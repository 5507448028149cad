import { api, readJson } from '../api/client.ts';
import { usePermission } from '../api/permissions.ts';
import { EditDialog } from '../components/dialogs/edit-dialog.tsx';
import { Checkbox } from '../components/forms/checkbox.tsx';
import { Field } from '../components/forms/field.tsx';
import { texts } from '../texts.ts';
import { formSettingsQuery } from './form-queries.ts';

const t = texts.forms;

/** The recipient of mails about new submissions. */
export function FormSettings({ projectId }: { projectId: string }) {
  const isAgency = usePermission('seeOrganization');
  return (
    <EditDialog
      label={t.settings}
      title={t.settings}
      text={t.settingsText}
      record={formSettingsQuery(projectId)}
      save={(values, etag) => {
        const body = { notify: values.isOn('notify'), notification_email: values.optional('notification_email') };
        const params = { path: { projectId }, header: { 'If-Match': etag } };
        return readJson(api.PATCH('/projects/{projectId}/forms/settings', { params, body }));
      }}
    >
      {({ settings }) => (
        <>
          <Checkbox name="notify" defaultSelected={settings.notify}>
            {t.notify}
          </Checkbox>
          <Field
            label={t.address}
            name="notification_email"
            type="email"
            hint={isAgency ? t.addressHint : t.clientAddressHint}
            defaultValue={settings.notification_email ?? ''}
            maxLength={254}
          />
        </>
      )}
    </EditDialog>
  );
}
