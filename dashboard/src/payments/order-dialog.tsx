import { useQuery } from '@tanstack/react-query';
import { api, readJson } from '../api/client.ts';
import { type Order, paymentSettingsQuery } from '../api/payments.ts';
import type { Client } from '../api/records.ts';
import { useAction } from '../api/use-action.ts';
import { clientName } from '../clients/client-status.tsx';
import { formatMoney } from '../components/content/money.ts';
import { Modal } from '../components/dialogs/modal.tsx';
import { ActionForm } from '../components/forms/action-form.tsx';
import { texts } from '../texts.ts';

const t = texts.orders;

/** What a member can record of an order. */
export type OrderAct = keyof typeof t.acts & Order['status'];

/** The acts that the API takes in each status. */
export const orderActs: Readonly<Record<Order['status'], readonly OrderAct[]>> = {
  pending: ['paid', 'failed', 'canceled'],
  failed: ['paid', 'canceled'],
  paid: ['refunded'],
  refunded: [],
  canceled: [],
};

interface Props {
  readonly chosen: { readonly order: Order; readonly act: OrderAct };
  readonly client: Client | undefined;
  readonly onClose: () => void;
}

/** Asks before an act on an order: names the client and the sum, and says what follows. */
export function OrderDialog({ chosen: { order, act }, client, onClose }: Props) {
  const { data: settings } = useQuery(paymentSettingsQuery());
  const change = useAction('clients', () =>
    readJson(api.PATCH('/orders/{orderId}', { params: { path: { orderId: order.id } }, body: { status: act } })),
  );
  const { label, title } = t.acts[act];
  const name = client === undefined ? t.unknownClient : clientName(client);
  return (
    <Modal title={title({ client: name, sum: formatMoney(order.amount, order.currency) })} isOpen onOpenChange={onClose}>
      <ActionForm
        action={() => change.mutateAsync().then(onClose)}
        submit={label}
        variant={act === 'paid' ? 'primary' : 'danger'}
        onCancel={onClose}
      >
        <p>{consequence(act, order, client, settings?.retry_days.at(-1) ?? 0)}</p>
        {act === 'paid' || act === 'failed' ? (
          <p className="soft small">{settings?.mails_clients ? t.acts[act].mailed : t.acts.notMailed}</p>
        ) : null}
      </ActionForm>
    </Modal>
  );
}

function consequence(act: OrderAct, { provider }: Order, client: Client | undefined, lastRetryDay: number): string {
  if (act === 'failed') return t.acts.failed.follows({ days: texts.subscription.days({ count: lastRetryDay }) });
  if (act === 'refunded' && provider === 'stripe') return t.acts.refunded.followsByCard;
  if (act !== 'paid') return t.acts[act].follows;
  if (client?.payment_status === 'past_due') return t.acts.paid.late;
  return client?.payment_status === 'active' ? t.acts.paid.next : t.acts.paid.first;
}
