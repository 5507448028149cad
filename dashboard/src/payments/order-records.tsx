import { useQuery } from '@tanstack/react-query';
import { Ellipsis, ExternalLink } from 'lucide-react';
import { useState } from 'react';
import { Button, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components';
import { Link } from 'react-router';
import { type Order, useDays } from '../api/payments.ts';
import { clientsQuery, plansQuery } from '../api/records.ts';
import { clientName } from '../clients/client-status.tsx';
import { formatMoney } from '../components/content/money.ts';
import { Badge } from '../components/feedback/badge.tsx';
import { type Column, RecordTable } from '../components/tables/record-table.tsx';
import { texts } from '../texts.ts';
import { type OrderAct, OrderDialog, orderActs } from './order-dialog.tsx';
import { orderTones } from './tones.ts';

const t = texts.orders;
const sumOf = ({ amount, currency }: Order) => formatMoney(amount, currency);

interface Props {
  readonly label: string;
  readonly orders: readonly Order[];
  /** False on the page of one client. */
  readonly hasClients?: boolean;
}

/** Orders with what can be done with each. */
export function OrderRecords({ label, orders, hasClients = true }: Props) {
  const { data: clients = [] } = useQuery(clientsQuery());
  const { data: plans = [] } = useQuery(plansQuery());
  const { dayText, periodText } = useDays();
  const [chosen, setChosen] = useState<{ order: Order; act: OrderAct }>();
  const clientOf = ({ client_id }: Order) => clients.find(({ id }) => id === client_id);
  const nameOf = (order: Order) => {
    const client = clientOf(order);
    return client === undefined ? t.unknownClient : clientName(client);
  };
  const planOf = ({ plan_id }: Order) => plans.find(({ id }) => id === plan_id)?.name ?? '';
  const dateOf = ({ paid_at, created_at }: Order) =>
    paid_at === null ? t.opened({ day: dayText(created_at) }) : t.paid({ day: dayText(paid_at) });

  const first: Column<Order> = hasClients
    ? {
        name: t.client,
        cell: (order) => (
          <span className="two-lines">
            <Link className="row-link" to={`/clients/${order.client_id}`}>
              {nameOf(order)}
            </Link>
            <span>{[planOf(order), periodText(order)].filter(Boolean).join(', ')}</span>
          </span>
        ),
      }
    : {
        name: t.period,
        cell: (order) => (
          <span className="two-lines">
            <span>{periodText(order)}</span>
            <span>{planOf(order)}</span>
          </span>
        ),
      };
  const status = (order: Order) => <Badge tone={orderTones[order.status]}>{t.statuses[order.status]}</Badge>;

  return (
    <>
      <RecordTable
        label={label}
        records={orders}
        columns={[
          first,
          {
            name: t.amount,
            end: true,
            cell: (order) => (
              <span className="order-sum">
                <span className="number">{sumOf(order)}</span>
                <span className="narrow-only">{status(order)}</span>
              </span>
            ),
          },
          { name: t.status, cell: status, wide: true },
          { name: t.date, cell: (order) => <span className="number soft">{dateOf(order)}</span>, wide: true },
          {
            name: t.actions,
            unnamed: true,
            end: true,
            cell: (order) => <OrderActions order={order} name={nameOf(order)} onAct={(act) => setChosen({ order, act })} />,
          },
        ]}
      />
      {chosen === undefined ? null : <OrderDialog chosen={chosen} client={clientOf(chosen.order)} onClose={() => setChosen(undefined)} />}
    </>
  );
}

interface ActionsProps {
  readonly order: Order;
  readonly name: string;
  readonly onAct: (act: OrderAct) => void;
}

/** The invoice and the usual act as buttons where there is room, and a menu of everything. */
function OrderActions({ order, name, onAct }: ActionsProps) {
  const { status, invoice_url } = order;
  return (
    <span className="actions above row-actions">
      {status === 'pending' || status === 'failed' ? (
        <Button className="button compact wide-only" onPress={() => onAct('paid')}>
          {t.acts.paid.label}
        </Button>
      ) : null}
      {invoice_url === null ? null : (
        <a
          className="button compact quiet wide-only"
          href={invoice_url}
          target="_blank"
          rel="noreferrer"
          aria-label={t.invoiceOf({ client: name, sum: sumOf(order) })}
        >
          {t.invoice}
          <ExternalLink size={14} aria-hidden />
        </a>
      )}
      <MenuTrigger>
        <Button className="button quiet icon" aria-label={t.actionsFor({ client: name, sum: sumOf(order) })}>
          <Ellipsis size={16} aria-hidden />
        </Button>
        <Popover className="popover" placement="bottom end">
          <Menu aria-label={t.actions} onAction={(key) => key === 'invoice' || onAct(key as OrderAct)}>
            {orderActs[status].map((act) => (
              <MenuItem key={act} id={act} className={`menu-item ${act === 'paid' ? '' : 'danger'}`}>
                {t.acts[act].label}
              </MenuItem>
            ))}
            {invoice_url === null ? null : (
              <MenuItem id="invoice" className="menu-item" href={invoice_url} target="_blank" textValue={t.openInvoice}>
                {t.openInvoice}
                <ExternalLink size={14} aria-hidden />
              </MenuItem>
            )}
          </Menu>
        </Popover>
      </MenuTrigger>
    </span>
  );
}
