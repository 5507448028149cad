import { CheckboxGroup, FieldError, Label } from 'react-aria-components';
import { api, readJson } from '../api/client.ts';
import type { Key } from '../api/records.ts';
import { CreateDialog } from '../components/dialogs/create-dialog.tsx';
import { Checkbox } from '../components/forms/checkbox.tsx';
import { Field } from '../components/forms/field.tsx';
import { Select } from '../components/forms/select.tsx';
import { texts } from '../texts.ts';

const t = texts.keys;
const dayMs = 86_400_000;
const daysOf = { never: null, month: 30, quarter: 90, year: 365 } as const;
const expiries = Object.entries(t.expiries).map(([id, label]) => ({ id, label }));

function expiry(choice: keyof typeof daysOf): string | null {
  const days = daysOf[choice];
  return days === null ? null : new Date(Date.now() + days * dayMs).toISOString();
}

export function CreateKey({ onCreated }: { onCreated: (secret: string) => void }) {
  return (
    <CreateDialog
      label={t.create}
      area="keys"
      create={(values) => {
        const body = {
          name: values.text('name'),
          permissions: values.all('permissions') as Key['permissions'],
          expires_at: expiry(values.text('expiry') as keyof typeof daysOf),
        };
        return readJson(api.POST('/account/keys', { body }));
      }}
      onCreated={({ secret }) => onCreated(secret)}
    >
      <Field label={t.name} name="name" hint={t.nameHint} maxLength={200} isRequired autoFocus />
      <CheckboxGroup className="field" name="permissions" defaultValue={['read']} isRequired>
        <Label className="label">{t.permissions}</Label>
        <Checkbox value="read">
          {t.read} <span className="soft">– {t.readHint}</span>
        </Checkbox>
        <Checkbox value="write">
          {t.write} <span className="soft">– {t.writeHint}</span>
        </Checkbox>
        <FieldError className="field-error">{t.choosePermission}</FieldError>
      </CheckboxGroup>
      <Select label={t.expiry} name="expiry" options={expiries} initial="never" />
    </CreateDialog>
  );
}
