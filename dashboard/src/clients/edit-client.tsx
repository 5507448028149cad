import { answer, api } from '../api/client.ts';
import { type Client, clientQuery } from '../api/records.ts';
import { Choice } from '../components/choice.tsx';
import { EditDialog } from '../components/edit-dialog.tsx';
import { Field } from '../components/field.tsx';
import { texts } from '../texts.ts';
import { PlanChoice } from './plan-choice.tsx';

const own = texts.clients;
const statuses = Object.entries(own.statuses).map(([id, label]) => ({ id, label }));

export function EditClient({ clientId }: { clientId: string }) {
  return (
    <EditDialog
      title={own.edit}
      record={clientQuery(clientId)}
      save={(filled, etag) => {
        const body = {
          name: filled.optional('name'),
          company: filled.optional('company'),
          status: filled.text('status') as Client['status'],
          plan_id: filled.choice('plan_id'),
        };
        return answer(api.PATCH('/clients/{clientId}', { params: { path: { clientId }, header: { 'If-Match': etag } }, body }));
      }}
    >
      {({ client }) => (
        <>
          <Field label={own.name} name="name" defaultValue={client.name ?? ''} maxLength={200} />
          <Field label={own.company} name="company" defaultValue={client.company ?? ''} maxLength={200} />
          <Choice label={own.status} name="status" options={statuses} initial={client.status} />
          <PlanChoice initial={client.plan_id} />
        </>
      )}
    </EditDialog>
  );
}
