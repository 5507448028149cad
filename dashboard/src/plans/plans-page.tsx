import { useQuery } from '@tanstack/react-query';
import { api, readJson } from '../api/client.ts';
import { useCurrency } from '../api/payments.ts';
import { usePermission } from '../api/permissions.ts';
import { planQuery, plansQuery } from '../api/records.ts';
import { curl } from '../components/content/curl.ts';
import { formatMoney } from '../components/content/money.ts';
import { CreateDialog } from '../components/dialogs/create-dialog.tsx';
import { EditDialog } from '../components/dialogs/edit-dialog.tsx';
import { Badge } from '../components/feedback/badge.tsx';
import { EmptyState } from '../components/feedback/empty-state.tsx';
import { Checkbox } from '../components/forms/checkbox.tsx';
import { Page } from '../components/layout/page.tsx';
import { RecordList } from '../components/tables/record-list.tsx';
import { texts } from '../texts.ts';
import { PlanFields, planBody } from './plan-fields.tsx';

const t = texts.plans;
const request = curl('POST', '/plans', { name: 'Care', price: 29, max_sites: 3 });

export function PlansPage() {
  const query = useQuery(plansQuery());
  const canWrite = usePermission('writePlans');
  const currency = useCurrency();
  const create = (
    <CreateDialog
      label={t.create}
      submit={t.createSubmit}
      area="plans"
      create={(values) => readJson(api.POST('/plans', { body: planBody(values) }))}
    >
      <PlanFields />
    </CreateDialog>
  );
  return (
    <Page title={texts.pages.plans} text={t.text} actions={canWrite ? create : null}>
      <RecordList
        label={texts.pages.plans}
        query={query}
        records={(plans) => plans}
        empty={<EmptyState title={t.empty} text={t.emptyText} request={request} />}
        columns={[
          {
            name: t.name,
            cell: ({ name, description }) => (
              <span className="two-lines">
                <strong>{name}</strong>
                <span>{description}</span>
              </span>
            ),
          },
          {
            name: t.price,
            cell: ({ price, interval }) => (
              <span className="number">
                {formatMoney(price, currency, { isShort: true })} <span className="soft">{t.per[interval]}</span>
              </span>
            ),
          },
          { name: t.sites, cell: ({ max_sites }) => <span className="number">{max_sites}</span>, wide: true },
          {
            name: t.messages,
            cell: ({ max_ai_messages_daily }) => <span className="number">{max_ai_messages_daily}</span>,
            wide: true,
          },
          {
            name: t.status,
            cell: ({ is_active }) => <Badge tone={is_active ? 'good' : 'plain'}>{is_active ? t.active : t.inactive}</Badge>,
            wide: true,
          },
          { name: texts.actions.edit, unnamed: true, end: true, cell: ({ id }) => (canWrite ? <EditPlan planId={id} /> : null) },
        ]}
      />
    </Page>
  );
}

function EditPlan({ planId }: { planId: string }) {
  return (
    <EditDialog
      title={t.edit}
      text={t.priceNote}
      variant="compact quiet"
      record={planQuery(planId)}
      save={(values, etag) => {
        const is_default = values.isOn('is_default');
        const body = { ...planBody(values), is_active: values.isOn('is_active'), ...(is_default && { is_default }) };
        return readJson(api.PATCH('/plans/{planId}', { params: { path: { planId }, header: { 'If-Match': etag } }, body }));
      }}
    >
      {({ plan }) => (
        <>
          <PlanFields plan={plan} />
          <Checkbox name="is_active" defaultSelected={plan.is_active}>
            {t.isActive}
          </Checkbox>
          <Checkbox name="is_default">{t.makeDefault}</Checkbox>
        </>
      )}
    </EditDialog>
  );
}
