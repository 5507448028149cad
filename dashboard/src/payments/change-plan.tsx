import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, readJson } from '../api/client.ts';
import { paymentSettingsQuery, type Subscription, useDays } from '../api/payments.ts';
import type { Client, Plan } from '../api/records.ts';
import { useAction } from '../api/use-action.ts';
import { clientName } from '../clients/client-status.tsx';
import { PlanFit } from '../clients/plan-fit.tsx';
import { DialogButton } from '../components/dialogs/dialog-button.tsx';
import { ActionForm } from '../components/forms/action-form.tsx';
import { Select } from '../components/forms/select.tsx';
import { texts } from '../texts.ts';
import { addsTax, changeCost, priceText } from './price.ts';

const t = texts.subscription;

interface Props {
  readonly client: Client;
  readonly subscription: Subscription;
  readonly plans: readonly Plan[];
}

/** A button for another plan, now or at the renewal. It says what is charged. */
export function ChangePlan(props: Props) {
  return (
    <DialogButton label={t.change} variant="compact" title={t.changeOf({ client: clientName(props.client) })}>
      {(close) => <ChangeForm {...props} close={close} />}
    </DialogButton>
  );
}

function ChangeForm({ client, subscription, plans, close }: Props & { close: () => void }) {
  const { data: settings } = useQuery(paymentSettingsQuery());
  const { dayText } = useDays();
  const { plan_id, next_plan_id, period_end, currency, status } = subscription;
  // The present plan is offered while another is to follow it: choosing it takes that back.
  const offered = plans.filter(({ id, price, is_active }) => price > 0 && is_active && (id !== plan_id || next_plan_id !== null));
  const [chosen, setChosen] = useState(offered[0]?.id ?? '');
  const [at, setAt] = useState<'now' | 'renewal'>('now');
  const plan = offered.find(({ id }) => id === chosen);
  const isKept = chosen === plan_id;
  const change = useAction('clients', () =>
    readJson(
      api.POST('/clients/{clientId}/subscription/plan', {
        params: { path: { clientId: client.id } },
        body: { plan_id: chosen, at: isKept ? 'renewal' : at },
      }),
    ),
  );
  if (plan === undefined) return <p className="soft">{t.noOtherPlan}</p>;
  const moments = [
    { id: 'now', label: t.now },
    ...(status === 'paused' ? [] : [{ id: 'renewal', label: t.atRenewal({ day: dayText(period_end) }) }]),
  ];
  return (
    <ActionForm action={() => change.mutateAsync().then(close)} submit={t.change} onCancel={close}>
      <Select
        label={t.plan}
        options={offered.map(({ id, name, price, interval }) => ({ id, label: `${name}, ${priceText(price, currency, interval)}` }))}
        value={chosen}
        onChange={setChosen}
      />
      {isKept ? null : <Select label={t.when} options={moments} value={at} onChange={(id) => setAt(id === 'now' ? 'now' : 'renewal')} />}
      <p aria-live="polite">
        {isKept ? t.costs.kept : changeCost(subscription, plan, at === 'now', dayText)}
        {addsTax(settings) ? ` ${t.costs.plusTax}` : ''}
      </p>
      <PlanFit clientId={client.id} planId={chosen} />
    </ActionForm>
  );
}
