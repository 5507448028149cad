import { useQuery } from '@tanstack/react-query';
import { Check } from 'lucide-react';
import { Link } from 'react-router';
import { may } from '../api/may.ts';
import { clientsQuery, keysQuery, projectsQuery, webhooksQuery } from '../api/records.ts';
import { useSession } from '../api/session.ts';
import { Card } from '../components/card.tsx';
import { texts } from '../texts.ts';
import './getting-started.css';

const own = texts.overview;

/** The way from an empty organization to a site that is live: nothing for those who have walked it or may not. */
export function useSteps() {
  const { role } = useSession();
  const enabled = may(role, 'write');
  const clients = useQuery({ ...clientsQuery(), enabled });
  const projects = useQuery({ ...projectsQuery({ limit: 100 }), enabled });
  const keys = useQuery({ ...keysQuery(), enabled });
  const webhooks = useQuery({ ...webhooksQuery(), enabled });
  const isLoading = [clients, projects, keys, webhooks].some((query) => query.isLoading);
  if (!(clients.data && projects.data && keys.data && webhooks.data)) return { isLoading, steps: [] };
  const made = projects.data.projects;
  const steps = [
    { ...own.steps.client, to: '/clients', isDone: clients.data.length > 0 },
    { ...own.steps.project, to: '/projects', isDone: made.length > 0 },
    { ...own.steps.publish, to: '/projects', isDone: made.some(({ last_published_at }) => last_published_at !== null) },
    { ...own.steps.key, to: '/keys', isDone: keys.data.length > 0 },
    { ...own.steps.webhook, to: '/webhooks', isDone: webhooks.data.length > 0 },
  ];
  return { isLoading, steps: steps.every(({ isDone }) => isDone) ? [] : steps };
}

export function GettingStarted({ steps }: Pick<ReturnType<typeof useSteps>, 'steps'>) {
  if (steps.length === 0) return null;
  return (
    <Card title={own.start}>
      <ol className="steps">
        {steps.map(({ title, text, to, isDone }) => (
          <li key={title} className={isDone ? 'done' : undefined}>
            <span className="step-mark">
              {isDone ? <Check size={13} strokeWidth={3} aria-hidden /> : null}
              {isDone ? <span className="visually-hidden">{own.steps.done}: </span> : null}
            </span>
            <span className="two-lines">
              {isDone ? (
                <span>{title}</span>
              ) : (
                <Link className="row-link" to={to}>
                  {title}
                </Link>
              )}
              <span>{text}</span>
            </span>
          </li>
        ))}
      </ol>
    </Card>
  );
}
