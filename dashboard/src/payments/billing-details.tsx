import { useQuery } from '@tanstack/react-query';
import { api, readJson } from '../api/client.ts';
import { billingDetailsQuery } from '../api/payments.ts';
import type { Client } from '../api/records.ts';
import { useAction } from '../api/use-action.ts';
import { DialogButton } from '../components/dialogs/dialog-button.tsx';
import { QueryBoundary } from '../components/feedback/query-boundary.tsx';
import { ActionForm } from '../components/forms/action-form.tsx';
import { Field } from '../components/forms/field.tsx';
import type { FormValues } from '../components/forms/form-values.ts';
import { Card } from '../components/layout/card.tsx';
import { texts } from '../texts.ts';

const t = texts.subscription;

/** What a client's invoices say of it. */
export function BillingDetails({ client }: { client: Client }) {
  const query = useQuery(billingDetailsQuery(client.id));
  const save = useAction('clients', (values: FormValues) => {
    const body = { name: values.optional('name'), address: values.optional('address'), tax_id: values.optional('tax_id') };
    return readJson(api.PATCH('/clients/{clientId}/billing-details', { params: { path: { clientId: client.id } }, body }));
  });
  const details = query.data;
  return (
    <Card
      title={t.billing}
      actions={
        details === undefined ? null : (
          <DialogButton label={t.editBilling} variant="compact" title={t.billing} text={t.billingText}>
            {(close) => (
              <ActionForm action={(values) => save.mutateAsync(values).then(close)} submit={texts.actions.save} onCancel={close}>
                <Field label={t.billingName} name="name" defaultValue={details.name ?? ''} maxLength={200} hint={t.billingNameHint} />
                <Field label={t.address} name="address" defaultValue={details.address ?? ''} lines="many" maxLength={1000} />
                <Field label={t.taxId} name="tax_id" defaultValue={details.tax_id ?? ''} maxLength={100} />
              </ActionForm>
            )}
          </DialogButton>
        )
      }
      padded
    >
      <QueryBoundary query={query}>
        {({ name, address, tax_id }) => (
          <dl className="facts">
            <dt>{t.billingName}</dt>
            <dd>{name ?? <span className="soft">{t.asClient({ name: client.company ?? client.name ?? client.email })}</span>}</dd>
            <dt>{t.address}</dt>
            <dd className="lines">{address ?? '–'}</dd>
            <dt>{t.taxId}</dt>
            <dd>{tax_id ?? '–'}</dd>
          </dl>
        )}
      </QueryBoundary>
    </Card>
  );
}
