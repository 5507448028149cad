import { useQuery } from '@tanstack/react-query';
import { ordersQuery } from '../api/payments.ts';
import { hasPermission } from '../api/permissions.ts';
import { clientsQuery, keysQuery, projectsQuery, webhooksQuery } from '../api/records.ts';
import { useSession } from '../api/session.ts';
import { Steps } from '../components/content/steps.tsx';
import { Card } from '../components/layout/card.tsx';
import { texts } from '../texts.ts';

const t = texts.overview;

/** The steps from an empty organization to a live site. No steps if all are done or the role may not do them. */
export function useSteps() {
  const { role } = useSession();
  const enabled = hasPermission(role, 'write');
  const clients = useQuery({ ...clientsQuery(), enabled });
  const projects = useQuery({ ...projectsQuery({ limit: 100 }), enabled });
  const keys = useQuery({ ...keysQuery(), enabled });
  const webhooks = useQuery({ ...webhooksQuery(), enabled });
  const canCharge = hasPermission(role, 'managePayments');
  const orders = useQuery({ ...ordersQuery({ limit: 1 }), enabled: canCharge });
  const isLoading = [clients, projects, keys, webhooks, orders].some((query) => query.isLoading);
  if (!(clients.data && projects.data && keys.data && webhooks.data)) return { isLoading, steps: [] };
  const projectList = projects.data.projects;
  const steps = [
    { ...t.steps.client, to: '/clients', isDone: clients.data.length > 0 },
    { ...t.steps.project, to: '/projects', isDone: projectList.length > 0 },
    { ...t.steps.publish, to: '/projects', isDone: projectList.some(({ last_published_at }) => last_published_at !== null) },
    ...(canCharge ? [{ ...t.steps.order, to: '/plans', isDone: (orders.data?.total ?? 0) > 0 }] : []),
    { ...t.steps.key, to: '/keys', isDone: keys.data.length > 0 },
    { ...t.steps.webhook, to: '/webhooks', isDone: webhooks.data.length > 0 },
  ];
  return { isLoading, steps: steps.every(({ isDone }) => isDone) ? [] : steps };
}

export function GettingStarted({ steps }: Pick<ReturnType<typeof useSteps>, 'steps'>) {
  if (steps.length === 0) return null;
  return (
    <Card title={t.start}>
      <Steps steps={steps} />
    </Card>
  );
}
