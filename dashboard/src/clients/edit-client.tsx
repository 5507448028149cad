import { api, readJson } from '../api/client.ts';
import { type Client, clientQuery } from '../api/records.ts';
import { EditDialog } from '../components/dialogs/edit-dialog.tsx';
import { Field } from '../components/forms/field.tsx';
import { Select } from '../components/forms/select.tsx';
import { texts } from '../texts.ts';
import { PlanSelect } from './plan-select.tsx';

const t = texts.clients;
const statuses = Object.entries(t.statuses).map(([id, label]) => ({ id, label }));

export function EditClient({ clientId }: { clientId: string }) {
  return (
    <EditDialog
      title={t.edit}
      record={clientQuery(clientId)}
      save={(values, etag) => {
        const body = {
          name: values.optional('name'),
          company: values.optional('company'),
          status: values.text('status') as Client['status'],
          plan_id: values.choice('plan_id'),
        };
        return readJson(api.PATCH('/clients/{clientId}', { params: { path: { clientId }, header: { 'If-Match': etag } }, body }));
      }}
    >
      {({ client }) => (
        <>
          <Field label={t.name} name="name" defaultValue={client.name ?? ''} maxLength={200} />
          <Field label={t.company} name="company" defaultValue={client.company ?? ''} maxLength={200} />
          <Select label={t.status} name="status" options={statuses} initial={client.status} />
          <PlanSelect initial={client.plan_id} clientId={clientId} />
        </>
      )}
    </EditDialog>
  );
}
