import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { answer, api } from '../api/client.ts';
import { type Delivery, deliveriesQuery } from '../api/records.ts';
import { Badge, type Tone } from '../components/badge.tsx';
import { Choice } from '../components/choice.tsx';
import { DialogButton } from '../components/dialog-button.tsx';
import { Empty } from '../components/empty.tsx';
import { Moment } from '../components/moment.tsx';
import { RecordList } from '../components/record-list.tsx';
import { texts } from '../texts.ts';
import { DeliveryDetails } from './delivery-details.tsx';

const own = texts.webhooks;
const limit = 20;
const everyStatus = 'all';
const statuses = [{ id: everyStatus, label: own.allStatuses }, ...Object.entries(own.statuses).map(([id, label]) => ({ id, label }))];
const tones: Readonly<Record<Delivery['status'], Tone>> = { pending: 'warn', delivered: 'good', failed: 'bad', skipped: 'plain' };

const outcome = ({ attempts }: Delivery) => {
  const last = attempts.at(-1);
  return last === undefined ? '–' : (last.reason ?? `HTTP ${last.status_code}`);
};

/** What became of each event at a webhook. */
export function Deliveries({ webhookId, actions }: { webhookId: string; actions: ReactNode }) {
  const [filter, setFilter] = useState({ status: everyStatus, offset: 0 });
  const status = filter.status === everyStatus ? {} : { status: filter.status };
  const query = useQuery(deliveriesQuery(webhookId, { limit, offset: filter.offset, ...status }));
  const send = (deliveryId: string) =>
    answer(api.POST('/webhooks/{webhookId}/deliveries/{deliveryId}/retry', { params: { path: { webhookId, deliveryId } }, body: {} }));

  return (
    <RecordList
      label={own.deliveries}
      titled
      query={query}
      records={({ deliveries }) => deliveries}
      pages={{ limit, offset: filter.offset, total: ({ total }) => total, onTurn: (offset) => setFilter({ ...filter, offset }) }}
      empty={<Empty title={own.noDeliveries} text={own.noDeliveriesText} />}
      actions={
        <div className="toolbar">
          {actions}
          <Choice
            label={own.status}
            labelHidden
            options={statuses}
            value={filter.status}
            onChange={(status) => setFilter({ status, offset: 0 })}
          />
        </div>
      }
      columns={[
        { name: own.event, cell: ({ event }) => <code>{event}</code> },
        { name: own.status, cell: ({ status }) => <Badge tone={tones[status]}>{own.statuses[status]}</Badge> },
        { name: own.outcome, cell: (delivery) => <span className="soft small">{outcome(delivery)}</span>, wide: true },
        { name: own.attempts, cell: ({ attempts }) => <span className="number">{attempts.length}</span>, wide: true },
        { name: own.when, cell: ({ created_at }) => <Moment at={created_at} />, wide: true },
        {
          name: texts.actions.more,
          unnamed: true,
          end: true,
          cell: (delivery) => (
            <DialogButton label={texts.actions.more} look="compact quiet" title={delivery.event}>
              {(close) => <DeliveryDetails delivery={delivery} onSend={() => send(delivery.id).then(close)} />}
            </DialogButton>
          ),
        },
      ]}
    />
  );
}
