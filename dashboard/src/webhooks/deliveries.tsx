import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Button } from 'react-aria-components';
import { Link } from 'react-router';
import { api, readJson } from '../api/client.ts';
import { usePermission } from '../api/permissions.ts';
import { type Delivery, deliveriesQuery } from '../api/records.ts';
import { useAction } from '../api/use-action.ts';
import { Timestamp } from '../components/content/timestamp.tsx';
import { Badge, type Tone } from '../components/feedback/badge.tsx';
import { EmptyState } from '../components/feedback/empty-state.tsx';
import { ProblemNotice } from '../components/feedback/problem-notice.tsx';
import { Checkbox } from '../components/forms/checkbox.tsx';
import { Select } from '../components/forms/select.tsx';
import { RecordList } from '../components/tables/record-list.tsx';
import { texts } from '../texts.ts';
import { eventNames } from './event-names.ts';

const t = texts.webhooks;
const limit = 20;
const all = 'all';
const events = [{ id: all, label: t.allEvents }, ...eventNames.map((id) => ({ id, label: id }))];
const statuses = [{ id: all, label: t.allStatuses }, ...Object.entries(t.statuses).map(([id, label]) => ({ id, label }))];
const tones: Readonly<Record<Delivery['status'], Tone>> = { pending: 'warn', delivered: 'good', failed: 'bad', skipped: 'plain' };

const outcome = ({ attempts }: Delivery) => {
  const last = attempts.at(-1);
  return last === undefined ? '–' : (last.reason ?? `HTTP ${last.status_code}`);
};

export const DeliveryStatus = ({ status }: Pick<Delivery, 'status'>) => <Badge tone={tones[status]}>{t.statuses[status]}</Badge>;

/** The deliveries of a webhook. Those that are ticked can be sent again together. */
export function Deliveries({ webhookId, actions }: { webhookId: string; actions: ReactNode }) {
  const [filter, setFilter] = useState({ status: all, event: all, offset: 0 });
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const canWrite = usePermission('write');
  const change = (part: Partial<typeof filter>) => {
    setChosen(new Set());
    setFilter({ ...filter, offset: 0, ...part });
  };
  const { offset } = filter;
  const query = useQuery(
    deliveriesQuery(webhookId, {
      ...{ limit, offset },
      ...(filter.status === all ? {} : { status: filter.status }),
      ...(filter.event === all ? {} : { event: filter.event }),
    }),
  );
  const send = useAction('webhooks', async () => {
    const body = { delivery_ids: [...chosen] };
    const sent = await readJson(api.POST('/webhooks/{webhookId}/retry', { params: { path: { webhookId } }, body }));
    setChosen(new Set());
    return sent;
  });
  const choose = (id: string, isChosen: boolean) => {
    send.reset();
    setChosen(new Set(isChosen ? [...chosen, id] : [...chosen].filter((each) => each !== id)));
  };
  const isFiltered = filter.status !== all || filter.event !== all;

  return (
    <>
      <ProblemNotice error={send.error} />
      <RecordList
        label={t.deliveries}
        titled
        query={query}
        records={({ deliveries }) => deliveries}
        pages={{ limit, offset, total: ({ total }) => total, onOffsetChange: (offset) => change({ offset }) }}
        empty={
          isFiltered ? (
            <EmptyState title={t.nothingFound} text={t.nothingFoundText} />
          ) : (
            <EmptyState title={t.noDeliveries} text={t.noDeliveriesText} />
          )
        }
        actions={
          <div className="toolbar">
            {send.data === undefined ? null : (
              <span className="soft small" role="status">
                {t.sentAgain({ count: send.data.queued })}
              </span>
            )}
            {chosen.size === 0 ? (
              actions
            ) : (
              <Button className="button compact" onPress={() => send.mutate()} isPending={send.isPending}>
                {t.sendChosen({ count: chosen.size })}
              </Button>
            )}
            <Select label={t.event} labelHidden options={events} value={filter.event} onChange={(event) => change({ event })} />
            <Select label={t.status} labelHidden options={statuses} value={filter.status} onChange={(status) => change({ status })} />
          </div>
        }
        columns={[
          ...(canWrite
            ? [
                {
                  name: t.choose,
                  unnamed: true,
                  cell: ({ id, event }: Delivery) => (
                    <Checkbox isSelected={chosen.has(id)} onChange={(isChosen) => choose(id, isChosen)}>
                      <span className="visually-hidden">{t.chooseOne({ event })}</span>
                    </Checkbox>
                  ),
                },
              ]
            : []),
          {
            name: t.event,
            cell: ({ id, event }) => (
              <Link className="row-link" to={`/webhooks/${webhookId}/deliveries/${id}`}>
                <code>{event}</code>
              </Link>
            ),
          },
          { name: t.status, cell: (delivery) => <DeliveryStatus {...delivery} /> },
          { name: t.outcome, cell: (delivery) => <span className="soft small">{outcome(delivery)}</span>, wide: true },
          { name: t.attempts, cell: ({ attempts }) => <span className="number">{attempts.length}</span>, wide: true },
          { name: t.when, cell: ({ created_at }) => <Timestamp at={created_at} />, wide: true, end: true },
        ]}
      />
    </>
  );
}
