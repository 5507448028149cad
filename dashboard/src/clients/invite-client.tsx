import { api, readJson } from '../api/client.ts';
import { CreateDialog } from '../components/dialogs/create-dialog.tsx';
import { Field } from '../components/forms/field.tsx';
import { texts } from '../texts.ts';
import { PlanSelect } from './plan-select.tsx';

const t = texts.clients;

export function InviteClient({ variant = 'primary' }: { variant?: string }) {
  return (
    <CreateDialog
      label={t.invite}
      variant={variant}
      text={t.inviteText}
      submit={t.inviteSubmit}
      area="clients"
      create={(values) => {
        const body = {
          email: values.text('email'),
          name: values.optional('name'),
          company: values.optional('company'),
          plan_id: values.choice('plan_id'),
        };
        return readJson(api.POST('/clients', { body }));
      }}
    >
      <Field label={t.email} name="email" type="email" maxLength={254} isRequired autoFocus />
      <div className="form-row">
        <Field label={t.name} name="name" maxLength={200} />
        <Field label={t.company} name="company" maxLength={200} />
      </div>
      <PlanSelect initial={null} />
    </CreateDialog>
  );
}
