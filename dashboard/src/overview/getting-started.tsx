import { useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { Link } from 'react-router';
import { ordersQuery } from '../api/payments.ts';
import { hasPermission } from '../api/permissions.ts';
import { clientsQuery, keysQuery, projectsQuery, templatesQuery, webhooksQuery } from '../api/records.ts';
import { useSession } from '../api/session.ts';
import { InviteClient } from '../clients/invite-client.tsx';
import { isOwnAddress } from '../clients/project-owners.ts';
import { Steps } from '../components/content/steps.tsx';
import { Card } from '../components/layout/card.tsx';
import { CreateProject } from '../projects/create-project.tsx';
import { texts } from '../texts.ts';

const t = texts.overview;

/**
 * The steps from an empty organization to one that earns. No steps if all are done, the role may not do them, or what
 * is done cannot be read now, for which `failure` is the reason.
 */
export function useSteps() {
  const { role, account } = useSession();
  const enabled = hasPermission(role, 'write');
  const clients = useQuery({ ...clientsQuery(), enabled });
  const projects = useQuery({ ...projectsQuery({ limit: 100 }), enabled });
  const templates = useQuery({ ...templatesQuery(), enabled });
  const keys = useQuery({ ...keysQuery(), enabled });
  const webhooks = useQuery({ ...webhooksQuery(), enabled });
  const canCharge = hasPermission(role, 'managePayments');
  const orders = useQuery({ ...ordersQuery({ limit: 1 }), enabled: canCharge });
  const queries = [clients, projects, templates, keys, webhooks, orders];
  const failure = queries.find(({ failureReason }) => failureReason !== null)?.failureReason ?? null;
  const isLoading = failure === null && queries.some((query) => query.isLoading);
  if (!(clients.data && projects.data && templates.data && keys.data && webhooks.data)) return { isLoading, failure, steps: [] };
  const projectList = projects.data.projects;
  const [newest] = projectList;
  const [template] = templates.data;
  const steps = [
    {
      ...t.steps.site,
      isDone: projectList.length > 0,
      action: (
        <span className="actions">
          <CreateProject label={t.steps.site.describe} variant="primary compact" />
          <CreateProject label={t.steps.site.files} variant="compact" start="files" />
          {template === undefined ? null : <CreateProject label={t.steps.site.template} variant="compact" start={template.id} />}
        </span>
      ),
    },
    {
      ...t.steps.publish,
      isDone: projectList.some(({ last_published_at }) => last_published_at !== null),
      action:
        newest === undefined ? (
          <StepLink to="/projects">{texts.pages.projects}</StepLink>
        ) : (
          <a className="button compact" href={`/builder/${newest.id}`}>
            {texts.projects.openBuilder}
          </a>
        ),
    },
    {
      ...t.steps.client,
      isDone: clients.data.some(({ email }) => !isOwnAddress(account.email, email)),
      action: <InviteClient variant="compact" />,
    },
    ...(canCharge
      ? [
          {
            ...t.steps.order,
            isDone: (orders.data?.total ?? 0) > 0,
            action: <StepLink to="/plans">{texts.pages.plans}</StepLink>,
          },
        ]
      : []),
    {
      ...t.steps.programs,
      isDone: keys.data.length + webhooks.data.length > 0,
      action: <StepLink to="/keys">{texts.pages.keys}</StepLink>,
    },
  ];
  return { isLoading, failure, steps: steps.every(({ isDone }) => isDone) ? [] : steps };
}

const StepLink = ({ to, children }: { to: string; children: string }) => (
  <Link className="button compact" to={to}>
    {children}
  </Link>
);

/** The card of the steps, until it is hidden in this browser for the organization. */
export function GettingStarted({ steps }: Pick<ReturnType<typeof useSteps>, 'steps'>) {
  const { organization } = useSession();
  const hiddenKey = `getting-started hidden ${organization?.id}`;
  const [isHidden, setHidden] = useState(() => localStorage.getItem(hiddenKey) !== null);
  if (steps.length === 0 || isHidden) return null;
  const done = steps.filter(({ isDone }) => isDone).length;
  return (
    <Card
      title={t.start}
      actions={
        <span className="steps-progress">
          <span className="soft small">{t.progress({ done, count: steps.length })}</span>
          <progress aria-label={t.start} value={done} max={steps.length} />
          <Button
            className="button icon quiet"
            aria-label={t.hide}
            onPress={() => {
              localStorage.setItem(hiddenKey, '');
              setHidden(true);
            }}
          >
            <X size={15} aria-hidden />
          </Button>
        </span>
      }
    >
      <Steps steps={steps} />
    </Card>
  );
}
