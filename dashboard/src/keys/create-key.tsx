import { api, readJson } from '../api/client.ts';
import { CreateDialog } from '../components/dialogs/create-dialog.tsx';
import { Select } from '../components/forms/select.tsx';
import { texts } from '../texts.ts';
import { KeyFields, keyBody, reachOf } from './key-fields.tsx';

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
          ...keyBody(values),
          ...reachOf(values),
          expires_at: expiry(values.text('expiry') as keyof typeof daysOf),
        };
        return readJson(api.POST('/account/keys', { body }));
      }}
      onCreated={({ secret }) => onCreated(secret)}
    >
      <KeyFields />
      <Select label={t.expiry} name="expiry" options={expiries} initial="never" />
    </CreateDialog>
  );
}
