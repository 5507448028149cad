import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, readJson } from '../api/client.ts';
import { paymentSettingsQuery, type Subscription, useCurrency, useDays } from '../api/payments.ts';
import type { Client, Plan } from '../api/records.ts';
import { useAction } from '../api/use-action.ts';
import { clientName } from '../clients/client-status.tsx';
import { DialogButton } from '../components/dialogs/dialog-button.tsx';
import { ActionForm } from '../components/forms/action-form.tsx';
import { Select } from '../components/forms/select.tsx';
import { texts } from '../texts.ts';
import { addsTax, priceText } from './price.ts';

const t = texts.subscription;
const ofClient = ({ id }: Client) => ({ params: { path: { clientId: id } } });

interface Props {
  readonly client: Client;
  readonly subscription: Subscription;
}

interface ConfirmedProps {
  readonly label: string;
  readonly title: string;
  readonly text: string;
  readonly action: () => Promise<unknown>;
}

/** A button that says what follows before it acts. */
function Confirmed({ label, title, text, action }: ConfirmedProps) {
  return (
    <DialogButton label={label} variant="compact" title={title}>
      {(close) => (
        <ActionForm action={() => action().then(close)} submit={label} onCancel={close}>
          <p>{text}</p>
        </ActionForm>
      )}
    </DialogButton>
  );
}

/** What is possible now: to pause it, to go on with it, or to take a cancelation back. */
export function PauseOrResume({ client, subscription: { status, cancel_at_period_end, period_end } }: Props) {
  const { dayText } = useDays();
  const pause = useAction('clients', () => readJson(api.POST('/clients/{clientId}/subscription/pause', { ...ofClient(client), body: {} })));
  const resume = useAction('clients', () =>
    readJson(api.POST('/clients/{clientId}/subscription/resume', { ...ofClient(client), body: {} })),
  );
  const name = clientName(client);
  if (status === 'paused') {
    return <Confirmed label={t.resume} title={t.resumeOf({ client: name })} text={t.resumeText} action={resume.mutateAsync} />;
  }
  if (cancel_at_period_end) {
    return (
      <Confirmed
        label={t.keep}
        title={t.keepOf({ client: name })}
        text={t.keepText({ day: dayText(period_end) })}
        action={resume.mutateAsync}
      />
    );
  }
  if (status !== 'active' && status !== 'trialing') return null;
  return <Confirmed label={t.pause} title={t.pauseOf({ client: name })} text={t.pauseText} action={pause.mutateAsync} />;
}

export function CancelSubscription(props: Props) {
  return (
    <DialogButton
      label={props.subscription.cancel_at_period_end ? t.endNow : t.cancel}
      variant="compact quiet"
      title={t.cancelOf({ client: clientName(props.client) })}
    >
      {(close) => <CancelForm {...props} close={close} />}
    </DialogButton>
  );
}

function CancelForm({ client, subscription: { status, cancel_at_period_end, period_end }, close }: Props & { close: () => void }) {
  const { dayText } = useDays();
  // While it is paused, its period has no end that is known.
  const isOnlyNow = cancel_at_period_end || status === 'paused';
  const [at, setAt] = useState<'now' | 'period_end'>(isOnlyNow ? 'now' : 'period_end');
  const cancel = useAction('clients', () =>
    readJson(api.POST('/clients/{clientId}/subscription/cancel', { ...ofClient(client), body: { at } })),
  );
  const end = dayText(period_end);
  const name = clientName(client);
  const moments = [
    { id: 'period_end', label: t.atPeriodEnd({ day: end }) },
    { id: 'now', label: t.now },
  ];
  return (
    <ActionForm action={() => cancel.mutateAsync().then(close)} submit={t.cancel} variant="danger" onCancel={close}>
      {isOnlyNow ? null : (
        <Select label={t.when} options={moments} value={at} onChange={(id) => setAt(id === 'now' ? 'now' : 'period_end')} />
      )}
      <p aria-live="polite">{at === 'now' ? t.cancelNow({ client: name }) : t.cancelLater({ client: name, day: end })}</p>
    </ActionForm>
  );
}

interface OpenProps {
  readonly client: Client;
  readonly plans: readonly Plan[];
}

export function OpenSubscription(props: OpenProps) {
  return (
    <DialogButton label={t.open} variant="compact primary" title={t.openFor({ client: clientName(props.client) })}>
      {(close) => <OpenForm {...props} close={close} />}
    </DialogButton>
  );
}

function OpenForm({ client, plans, close }: OpenProps & { close: () => void }) {
  const { data: settings } = useQuery(paymentSettingsQuery());
  const currency = useCurrency();
  const offered = plans.filter(({ id, price, is_active }) => price > 0 && (is_active || id === client.plan_id));
  const [chosen, setChosen] = useState((offered.find(({ id }) => id === client.plan_id) ?? offered[0])?.id ?? '');
  const open = useAction('clients', () =>
    readJson(api.POST('/clients/{clientId}/subscription', { ...ofClient(client), body: { plan_id: chosen } })),
  );
  const plan = offered.find(({ id }) => id === chosen);
  if (plan === undefined) return <p className="soft">{t.noOtherPlan}</p>;
  const priceOf = ({ price, interval }: Plan) => priceText(price, currency, interval);
  const trial = settings?.trial_days ?? 0;
  return (
    <ActionForm action={() => open.mutateAsync().then(close)} submit={t.open} onCancel={close}>
      <Select
        label={t.plan}
        options={offered.map((each) => ({ id: each.id, label: `${each.name}, ${priceOf(each)}` }))}
        value={chosen}
        onChange={setChosen}
      />
      <p aria-live="polite">
        {trial === 0 ? t.opens({ price: priceOf(plan) }) : t.opensWithTrial({ price: priceOf(plan), days: t.days({ count: trial }) })}
        {addsTax(settings) ? ` ${t.costs.plusTax}` : ''}
      </p>
    </ActionForm>
  );
}
