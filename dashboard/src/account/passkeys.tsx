import { useQuery, useQueryClient } from '@tanstack/react-query';
import { answer, api, type Schemas } from '../api/client.ts';
import { addPasskey, removePasskey } from '../api/passkeys.ts';
import { ActionForm } from '../components/action-form.tsx';
import { Badge } from '../components/badge.tsx';
import { DialogButton } from '../components/dialog-button.tsx';
import { Empty } from '../components/empty.tsx';
import { Field } from '../components/field.tsx';
import { Moment } from '../components/moment.tsx';
import { ProvenForm } from '../components/proven-form.tsx';
import { RecordList } from '../components/record-list.tsx';
import { texts } from '../texts.ts';
import { deviceName } from './device-name.ts';

const own = texts.passkeys;
const nameField = { label: own.name, name: 'name', maxLength: 200, isRequired: true, autoFocus: true } as const;

function useChanged() {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: ['passkeys'] });
}

/** The passkeys that sign in to the account. */
export function Passkeys() {
  const query = useQuery({ queryKey: ['passkeys'], queryFn: () => answer(api.GET('/account/passkeys')) });
  return (
    <RecordList
      label={own.title}
      titled
      actions={<AddPasskey />}
      query={query}
      records={({ passkeys }) => passkeys}
      empty={<Empty title={own.empty} text={own.emptyText} />}
      columns={[
        {
          name: own.name,
          cell: ({ name, backed_up }) => (
            <span className="badges">
              {name}
              {backed_up ? <Badge tone="good">{own.synced}</Badge> : null}
            </span>
          ),
        },
        { name: own.added, cell: ({ created_at }) => <Moment at={created_at} />, wide: true },
        { name: own.lastUsed, cell: ({ last_used_at }) => <Moment at={last_used_at} />, wide: true },
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
    <DialogButton label={own.add} title={own.add} text={own.addText}>
      {(close) => (
        <ProvenForm
          submit={own.add}
          onCancel={close}
          action={async (filled, password) => {
            await addPasskey(filled.text('name'), password);
            await changed();
            close();
          }}
        >
          <Field {...nameField} hint={own.nameHint} defaultValue={deviceName(navigator.userAgent)} />
        </ProvenForm>
      )}
    </DialogButton>
  );
}

function RenamePasskey({ id, name }: Schemas['Passkey']) {
  const changed = useChanged();
  return (
    <DialogButton label={own.rename} look="compact quiet" title={`${own.rename}: ${name}`}>
      {(close) => (
        <ActionForm
          submit={texts.actions.save}
          onCancel={close}
          action={async (filled) => {
            const body = { name: filled.text('name') };
            await answer(api.PATCH('/account/passkeys/{passkeyId}', { params: { path: { passkeyId: id } }, body }));
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
    <DialogButton label={own.remove} look="compact quiet" title={`${own.remove}: ${name}`} text={own.removeText}>
      {(close) => (
        <ProvenForm submit={own.remove} look="danger" onCancel={close} action={(_, password) => removePasskey(id, password).then(changed)}>
          {null}
        </ProvenForm>
      )}
    </DialogButton>
  );
}
