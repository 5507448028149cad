import { api, readJson } from '../api/client.ts';
import type { Key } from '../api/records.ts';
import { CreateDialog } from '../components/dialogs/create-dialog.tsx';
import { texts } from '../texts.ts';
import { KeyFields, keyBody } from './key-fields.tsx';

/** Changes a key; its text stays the same. */
export function EditKey({ current }: { current: Key }) {
  return (
    <CreateDialog
      label={texts.actions.edit}
      variant="compact quiet"
      text={texts.keys.editText}
      submit={texts.actions.save}
      area="keys"
      create={(values) => readJson(api.PATCH('/account/keys/{keyId}', { params: { path: { keyId: current.id } }, body: keyBody(values) }))}
    >
      <KeyFields current={current} />
    </CreateDialog>
  );
}
