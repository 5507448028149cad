import { CheckboxGroup, FieldError, Label } from 'react-aria-components';
import { answer, api } from '../api/client.ts';
import type { Key } from '../api/records.ts';
import { Choice } from '../components/choice.tsx';
import { CreateDialog } from '../components/create-dialog.tsx';
import { Field } from '../components/field.tsx';
import { Tick } from '../components/tick.tsx';
import { texts } from '../texts.ts';

const own = texts.keys;
const dayMs = 86_400_000;
const daysOf = { never: null, month: 30, quarter: 90, year: 365 } as const;
const expiries = Object.entries(own.expiries).map(([id, label]) => ({ id, label }));

function expiry(choice: keyof typeof daysOf): string | null {
  const days = daysOf[choice];
  return days === null ? null : new Date(Date.now() + days * dayMs).toISOString();
}

export function CreateKey({ onCreated }: { onCreated: (secret: string) => void }) {
  return (
    <CreateDialog
      label={own.create}
      area="keys"
      create={(filled) => {
        const body = {
          name: filled.text('name'),
          permissions: filled.all('permissions') as Key['permissions'],
          expires_at: expiry(filled.text('expiry') as keyof typeof daysOf),
        };
        return answer(api.POST('/account/keys', { body }));
      }}
      onCreated={({ secret }) => onCreated(secret)}
    >
      <Field label={own.name} name="name" hint={own.nameHint} maxLength={200} isRequired autoFocus />
      <CheckboxGroup className="field" name="permissions" defaultValue={['read']} isRequired>
        <Label className="label">{own.permissions}</Label>
        <Tick value="read">
          {own.read} <span className="soft">– {own.readHint}</span>
        </Tick>
        <Tick value="write">
          {own.write} <span className="soft">– {own.writeHint}</span>
        </Tick>
        <FieldError className="field-error">{own.choosePermission}</FieldError>
      </CheckboxGroup>
      <Choice label={own.expiry} name="expiry" options={expiries} initial="never" />
    </CreateDialog>
  );
}
