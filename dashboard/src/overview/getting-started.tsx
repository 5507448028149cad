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

/** The way from an empty organization to a site that is live; gone when it is walked, and for those who may not walk it. */
export function GettingStarted() {
  const { role } = useSession();
  const mayWrite = may(role, 'write');
  const clients = useQuery({ ...clientsQuery(), enabled: mayWrite }).data;
  const projects = useQuery({ ...projectsQuery({ limit: 100 }), enabled: mayWrite }).data?.projects;
  const keys = useQuery({ ...keysQuery(), enabled: mayWrite }).data;
  const webhooks = useQuery({ ...webhooksQuery(), enabled: mayWrite }).data;
  if (clients === undefined || projects === undefined || keys === undefined || webhooks === undefined) return null;
  const steps = [
    { ...own.steps.client, to: '/clients', isDone: clients.length > 0 },
    { ...own.steps.project, to: '/projects', isDone: projects.length > 0 },
    { ...own.steps.publish, to: '/projects', isDone: projects.some(({ last_published_at }) => last_published_at !== null) },
    { ...own.steps.key, to: '/keys', isDone: keys.length > 0 },
    { ...own.steps.webhook, to: '/webhooks', isDone: webhooks.length > 0 },
  ];
  if (steps.every(({ isDone }) => isDone)) return null;
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
