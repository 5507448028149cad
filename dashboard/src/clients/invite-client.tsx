import { answer, api } from '../api/client.ts';
import { CreateDialog } from '../components/create-dialog.tsx';
import { Field } from '../components/field.tsx';
import { texts } from '../texts.ts';
import { PlanChoice } from './plan-choice.tsx';

const own = texts.clients;

export function InviteClient() {
  return (
    <CreateDialog
      label={own.invite}
      text={own.inviteText}
      submit={own.inviteSubmit}
      area="clients"
      create={(filled) => {
        const body = {
          email: filled.text('email'),
          name: filled.optional('name'),
          company: filled.optional('company'),
          plan_id: filled.choice('plan_id'),
        };
        return answer(api.POST('/clients', { body }));
      }}
    >
      <Field label={own.email} name="email" type="email" maxLength={254} isRequired autoFocus />
      <div className="form-row">
        <Field label={own.name} name="name" maxLength={200} />
        <Field label={own.company} name="company" maxLength={200} />
      </div>
      <PlanChoice initial={null} />
    </CreateDialog>
  );
}
