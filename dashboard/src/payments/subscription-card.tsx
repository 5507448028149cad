import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { ordersQuery, paymentSettingsQuery, type Subscription, subscriptionQuery, useDays } from '../api/payments.ts';
import { type Client, type Plan, plansQuery } from '../api/records.ts';
import { Badge } from '../components/feedback/badge.tsx';
import { EmptyState } from '../components/feedback/empty-state.tsx';
import { QueryBoundary } from '../components/feedback/query-boundary.tsx';
import { Card } from '../components/layout/card.tsx';
import { texts } from '../texts.ts';
import { ChangePlan } from './change-plan.tsx';
import { OrderRecords } from './order-records.tsx';
import { priceText } from './price.ts';
import { CancelSubscription, OpenSubscription, PauseOrResume } from './subscription-actions.tsx';
import { subscriptionTones } from './tones.ts';

const t = texts.subscription;
const lastOrders = 5;

/** What a client is charged, with its last orders. */
export function SubscriptionCard({ client }: { client: Client }) {
  const query = useQuery(subscriptionQuery(client.id));
  const { data: plans = [] } = useQuery(plansQuery());
  const live = query.data?.status === 'canceled' ? null : query.data;
  const hasPricedPlan = plans.some(({ price }) => price > 0);
  return (
    <Card
      title={t.title}
      actions={
        live ? (
          <span className="actions">
            <PauseOrResume client={client} subscription={live} />
            <ChangePlan client={client} subscription={live} plans={plans} />
            <CancelSubscription client={client} subscription={live} />
          </span>
        ) : live === null && hasPricedPlan ? (
          <OpenSubscription client={client} plans={plans} />
        ) : null
      }
    >
      <QueryBoundary query={query} empty={{ when: (subscription) => subscription === null, show: <None client={client} plans={plans} /> }}>
        {(subscription) =>
          subscription === null ? null : (
            <>
              <div className="card-body">
                <Facts subscription={subscription} plans={plans} />
              </div>
              <LastOrders clientId={client.id} />
            </>
          )
        }
      </QueryBoundary>
    </Card>
  );
}

function None({ client, plans }: { client: Client; plans: readonly Plan[] }) {
  const plan = plans.find(({ id, price }) => id === client.plan_id && price > 0);
  if (plan !== undefined) return <EmptyState title={t.none} text={t.unsubscribed({ plan: plan.name })} />;
  if (plans.some(({ price }) => price > 0)) return <EmptyState title={t.none} text={t.noneText} />;
  return (
    <EmptyState title={t.none} text={t.noPricedPlan}>
      <Link className="button" to="/plans">
        {t.toPlans}
      </Link>
    </EmptyState>
  );
}

function Facts({ subscription, plans }: { subscription: Subscription; plans: readonly Plan[] }) {
  const { data: settings } = useQuery(paymentSettingsQuery());
  const { dayText } = useDays();
  const { plan_id, next_plan_id, status, period_end, currency } = subscription;
  const planOf = (wanted: string | null) => plans.find(({ id }) => id === wanted);
  const next = planOf(next_plan_id);
  const renewed = next ?? planOf(plan_id);
  const price = priceText(subscription.amount, currency, subscription.interval);
  const later = renewed === undefined ? price : priceText(renewed.price, currency, renewed.interval);
  const isRenewed = status !== 'canceled' && status !== 'paused' && !subscription.cancel_at_period_end;
  const rate = settings?.tax_included === false ? settings.tax_rate : null;
  return (
    <dl className="facts">
      <dt>{t.plan}</dt>
      <dd>
        {planOf(plan_id)?.name ?? '–'}
        {next === undefined ? null : <span className="soft">, {t.changesTo({ plan: next.name, day: dayText(period_end) })}</span>}
      </dd>
      <dt>{t.price}</dt>
      <dd>
        {price}
        {rate === null ? null : <span className="soft"> {t.plusTax({ name: settings?.tax_name ?? t.tax, rate })}</span>}
        {isRenewed && later !== price ? <span className="soft">, {t.later({ price: later, day: dayText(period_end) })}</span> : null}
      </dd>
      <dt>{t.status}</dt>
      <dd>
        <span className="badges">
          <Badge tone={subscriptionTones[status]}>{t.statuses[status]}</Badge>
          <span>{inWords(subscription, dayText)}</span>
        </span>
      </dd>
    </dl>
  );
}

/** Since when a status holds, and what comes next. */
function inWords(subscription: Subscription, dayText: (at: string | null) => string): string {
  const { status, period_end, trial_ends_at, past_due_since, paused_at, canceled_at, cancel_at_period_end } = subscription;
  const next = cancel_at_period_end ? t.ends({ day: dayText(period_end) }) : t.renews({ day: dayText(period_end) });
  switch (status) {
    case 'incomplete':
      return cancel_at_period_end ? `${t.firstOrder}, ${next}` : t.firstOrder;
    case 'trialing':
      return cancel_at_period_end ? next : t.freeUntil({ day: dayText(trial_ends_at) });
    case 'active':
      return next;
    case 'past_due':
      return cancel_at_period_end ? `${t.since({ day: dayText(past_due_since) })}, ${next}` : t.since({ day: dayText(past_due_since) });
    case 'paused':
      return t.since({ day: dayText(paused_at) });
    case 'canceled':
      return t.on({ day: dayText(canceled_at) });
  }
}

function LastOrders({ clientId }: { clientId: string }) {
  const query = useQuery(ordersQuery({ client_id: clientId, limit: lastOrders }));
  return (
    <>
      <div className="card-header divided">
        <h3>{t.orders}</h3>
        <Link className="link small" to={`/orders?${new URLSearchParams({ client: clientId })}`}>
          {t.allOrders}
        </Link>
      </div>
      <QueryBoundary
        query={query}
        empty={{ when: ({ orders }) => orders.length === 0, show: <p className="soft small card-body">{t.noOrders}</p> }}
      >
        {({ orders }) => <OrderRecords label={t.orders} orders={orders} hasClients={false} />}
      </QueryBoundary>
    </>
  );
}
