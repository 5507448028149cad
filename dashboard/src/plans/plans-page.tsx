import { useQuery } from '@tanstack/react-query';
import { answer, api } from '../api/client.ts';
import { useMay } from '../api/may.ts';
import { planQuery, plansQuery } from '../api/records.ts';
import { useSession } from '../api/session.ts';
import { Badge } from '../components/badge.tsx';
import { CreateDialog } from '../components/create-dialog.tsx';
import { curl } from '../components/curl.ts';
import { EditDialog } from '../components/edit-dialog.tsx';
import { Empty } from '../components/empty.tsx';
import { Page } from '../components/page.tsx';
import { RecordList } from '../components/record-list.tsx';
import { Tick } from '../components/tick.tsx';
import { texts } from '../texts.ts';
import { PlanFields, planOf } from './plan-fields.tsx';

const own = texts.plans;
const request = curl('POST', '/plans', { name: 'Care', price: 29, max_sites: 3 });

export function PlansPage() {
  const query = useQuery(plansQuery());
  const mayWrite = useMay('writePlans');
  const { organization } = useSession();
  const money = new Intl.NumberFormat('en', {
    style: 'currency',
    currency: organization?.currency ?? 'USD',
    trailingZeroDisplay: 'stripIfInteger',
  });
  const create = (
    <CreateDialog
      label={own.create}
      submit={own.createSubmit}
      area="plans"
      create={(filled) => answer(api.POST('/plans', { body: planOf(filled) }))}
    >
      <PlanFields />
    </CreateDialog>
  );
  return (
    <Page title={own.title} text={own.text} actions={mayWrite ? create : null}>
      <RecordList
        label={own.title}
        query={query}
        records={(plans) => plans}
        empty={<Empty title={own.empty} text={own.emptyText} request={request} />}
        columns={[
          {
            name: own.name,
            cell: ({ name, description }) => (
              <span className="two-lines">
                <strong>{name}</strong>
                <span>{description}</span>
              </span>
            ),
          },
          {
            name: own.price,
            cell: ({ price, interval }) => (
              <span className="number">
                {money.format(price)} <span className="soft">{own.per[interval]}</span>
              </span>
            ),
          },
          { name: own.sites, cell: ({ max_sites }) => <span className="number">{max_sites}</span>, wide: true },
          {
            name: own.messages,
            cell: ({ max_ai_messages_daily }) => <span className="number">{max_ai_messages_daily}</span>,
            wide: true,
          },
          {
            name: own.status,
            cell: ({ is_active }) => <Badge tone={is_active ? 'good' : 'plain'}>{is_active ? own.active : own.inactive}</Badge>,
            wide: true,
          },
          { name: texts.actions.edit, unnamed: true, end: true, cell: ({ id }) => (mayWrite ? <EditPlan planId={id} /> : null) },
        ]}
      />
    </Page>
  );
}

function EditPlan({ planId }: { planId: string }) {
  return (
    <EditDialog
      title={own.edit}
      text={own.priceNote}
      look="compact quiet"
      record={planQuery(planId)}
      save={(filled, etag) => {
        const body = { ...planOf(filled), is_active: filled.isOn('is_active') };
        return answer(api.PATCH('/plans/{planId}', { params: { path: { planId }, header: { 'If-Match': etag } }, body }));
      }}
    >
      {({ plan }) => (
        <>
          <PlanFields plan={plan} />
          <Tick name="is_active" defaultSelected={plan.is_active}>
            {own.isActive}
          </Tick>
        </>
      )}
    </EditDialog>
  );
}
