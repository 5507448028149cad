import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api, readJson, type Schemas } from '../api/client.ts';
import { addPasskey, removePasskey } from '../api/passkeys.ts';
import { Timestamp } from '../components/content/timestamp.tsx';
import { DialogButton } from '../components/dialogs/dialog-button.tsx';
import { Badge } from '../components/feedback/badge.tsx';
import { EmptyState } from '../components/feedback/empty-state.tsx';
import { ActionForm } from '../components/forms/action-form.tsx';
import { Field } from '../components/forms/field.tsx';
import { ReauthForm } from '../components/forms/reauth-form.tsx';
import { RecordList } from '../components/tables/record-list.tsx';
import { texts } from '../texts.ts';
import { deviceName } from './device-name.ts';

const t = texts.passkeys;
const nameField = { label: t.name, name: 'name', maxLength: 200, isRequired: true, autoFocus: true } as const;

function useChanged() {
  const queryClient = useQueryClient();
  return () => queryClient.invalidateQueries({ queryKey: ['passkeys'] });
}

/** The passkeys of the account. */
export function Passkeys() {
  const query = useQuery({ queryKey: ['passkeys'], queryFn: () => readJson(api.GET('/account/passkeys')) });
  return (
    <RecordList
      label={t.title}
      titled
      actions={<AddPasskey />}
      query={query}
      records={({ passkeys }) => passkeys}
      empty={<EmptyState title={t.empty} text={t.emptyText} />}
      columns={[
        {
          name: t.name,
          cell: ({ name, backed_up }) => (
            <span className="badges">
              {name}
              {backed_up ? <Badge tone="good">{t.synced}</Badge> : null}
            </span>
          ),
        },
        { name: t.added, cell: ({ created_at }) => <Timestamp at={created_at} />, wide: true },
        { name: t.lastUsed, cell: ({ last_used_at }) => <Timestamp at={last_used_at} />, wide: true },
        {
          name: texts.actions.more,
          unnamed: true,
          end: true,
          cell: (passkey) => (
            <span className="actions end">
              <RenamePasskey {...passkey} />
              <RemovePasskey {...passkey} />
            </span>
          ),
        },
      ]}
    />
  );
}

function AddPasskey() {
  const changed = useChanged();
  return (
    <DialogButton label={t.add} title={t.add} text={t.addText}>
      {(close) => (
        <ReauthForm
          submit={t.add}
          onCancel={close}
          action={async (values, password) => {
            await addPasskey(values.text('name'), password);
            await changed();
            close();
          }}
        >
          <Field {...nameField} hint={t.nameHint} defaultValue={deviceName(navigator.userAgent)} />
        </ReauthForm>
      )}
    </DialogButton>
  );
}

function RenamePasskey({ id, name }: Schemas['Passkey']) {
  const changed = useChanged();
  return (
    <DialogButton label={t.rename} variant="compact quiet" title={`${t.rename}: ${name}`}>
      {(close) => (
        <ActionForm
          submit={texts.actions.save}
          onCancel={close}
          action={async (values) => {
            const body = { name: values.text('name') };
            await readJson(api.PATCH('/account/passkeys/{passkeyId}', { params: { path: { passkeyId: id } }, body }));
            await changed();
            close();
          }}
        >
          <Field {...nameField} defaultValue={name} />
        </ActionForm>
      )}
    </DialogButton>
  );
}

function RemovePasskey({ id, name }: Schemas['Passkey']) {
  const changed = useChanged();
  return (
    <DialogButton label={t.remove} variant="compact quiet" title={`${t.remove}: ${name}`} text={t.removeText}>
      {(close) => (
        <ReauthForm submit={t.remove} variant="danger" onCancel={close} action={(_, password) => removePasskey(id, password).then(changed)}>
          {null}
        </ReauthForm>
      )}
    </DialogButton>
  );
}
