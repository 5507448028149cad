import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, readJson } from '../api/client.ts';
import { type Delivery, deliveriesQuery } from '../api/records.ts';
import { Timestamp } from '../components/content/timestamp.tsx';
import { DialogButton } from '../components/dialogs/dialog-button.tsx';
import { Badge, type Tone } from '../components/feedback/badge.tsx';
import { EmptyState } from '../components/feedback/empty-state.tsx';
import { Select } from '../components/forms/select.tsx';
import { RecordList } from '../components/tables/record-list.tsx';
import { texts } from '../texts.ts';
import { DeliveryDetails } from './delivery-details.tsx';

const t = texts.webhooks;
const limit = 20;
const everyStatus = 'all';
const statuses = [{ id: everyStatus, label: t.allStatuses }, ...Object.entries(t.statuses).map(([id, label]) => ({ id, label }))];
const tones: Readonly<Record<Delivery['status'], Tone>> = { pending: 'warn', delivered: 'good', failed: 'bad', skipped: 'plain' };

const outcome = ({ attempts }: Delivery) => {
  const last = attempts.at(-1);
  return last === undefined ? '–' : (last.reason ?? `HTTP ${last.status_code}`);
};

/** The deliveries of a webhook. */
export function Deliveries({ webhookId, actions }: { webhookId: string; actions: ReactNode }) {
  const [filter, setFilter] = useState({ status: everyStatus, offset: 0 });
  const status = filter.status === everyStatus ? {} : { status: filter.status };
  const query = useQuery(deliveriesQuery(webhookId, { limit, offset: filter.offset, ...status }));
  const send = (deliveryId: string) =>
    readJson(api.POST('/webhooks/{webhookId}/deliveries/{deliveryId}/retry', { params: { path: { webhookId, deliveryId } }, body: {} }));

  return (
    <RecordList
      label={t.deliveries}
      titled
      query={query}
      records={({ deliveries }) => deliveries}
      pages={{ limit, offset: filter.offset, total: ({ total }) => total, onOffsetChange: (offset) => setFilter({ ...filter, offset }) }}
      empty={<EmptyState title={t.noDeliveries} text={t.noDeliveriesText} />}
      actions={
        <div className="toolbar">
          {actions}
          <Select
            label={t.status}
            labelHidden
            options={statuses}
            value={filter.status}
            onChange={(status) => setFilter({ status, offset: 0 })}
          />
        </div>
      }
      columns={[
        { name: t.event, cell: ({ event }) => <code>{event}</code> },
        { name: t.status, cell: ({ status }) => <Badge tone={tones[status]}>{t.statuses[status]}</Badge> },
        { name: t.outcome, cell: (delivery) => <span className="soft small">{outcome(delivery)}</span>, wide: true },
        { name: t.attempts, cell: ({ attempts }) => <span className="number">{attempts.length}</span>, wide: true },
        { name: t.when, cell: ({ created_at }) => <Timestamp at={created_at} />, wide: true },
        {
          name: texts.actions.more,
          unnamed: true,
          end: true,
          cell: (delivery) => (
            <DialogButton label={texts.actions.more} variant="compact quiet" title={delivery.event}>
              {(close) => <DeliveryDetails delivery={delivery} onSend={() => send(delivery.id).then(close)} />}
            </DialogButton>
          ),
        },
      ]}
    />
  );
}
