import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Button } from 'react-aria-components';
import { Problem } from '../api/problem.ts';
import { useBrandStyles } from '../brand/use-brand-styles.ts';
import { Skeleton } from '../components/feedback/skeleton.tsx';
import { Builder } from './builder.tsx';
import { isEmbedded } from './credential.ts';
import { tellHost } from './host.ts';
import { projectQuery, visitorQuery } from './queries.ts';
import { whenRefused } from './requests.ts';
import { texts } from './texts.ts';

const [, , projectId = ''] = location.pathname.split('/');

/** Signs in and comes back, or says that the session of the embedding page has ended. */
function useEnd(): boolean {
  const [hasEnded, setEnded] = useState(false);
  useEffect(
    () =>
      whenRefused(() => {
        if (!isEmbedded()) location.assign(`/sign-in?${new URLSearchParams({ next: location.pathname })}`);
        else setEnded(true);
      }),
    [],
  );
  useEffect(() => {
    if (hasEnded) tellHost({ type: 'error', code: 'session_ended', message: texts.ended.title });
  }, [hasEnded]);
  return hasEnded;
}

/** Loads what the builder needs, or shows why it cannot be opened. */
export function BuilderEntrance() {
  const hasEnded = useEnd();
  const queries = useQueryClient();
  const visitor = useQuery(visitorQuery);
  const project = useQuery(projectQuery(projectId));
  useBrandStyles(visitor.data?.brand ?? null);
  if (hasEnded) return <Notice title={texts.ended.title} text={texts.ended.text} />;
  if (visitor.data !== undefined && project.data !== undefined) return <Builder project={project.data} visitor={visitor.data} />;
  const error = project.error ?? visitor.error;
  if (error === null || Problem.of(error).status === 401) return <Skeleton />;
  const isMissing = [404, 422].includes(Problem.of(error).status);
  if (isMissing) return <Notice title={texts.ended.missing} text={texts.ended.missingText} />;
  return <Notice title={texts.ended.failed} text={Problem.of(error).message} onRetry={() => void queries.refetchQueries()} />;
}

function Notice({ title, text, onRetry }: { title: string; text: string; onRetry?: () => void }) {
  return (
    <main className="builder-notice">
      <section className="card empty">
        <div>
          <h1>{title}</h1>
          <p role="alert">{text}</p>
        </div>
        {onRetry === undefined ? null : (
          <Button className="button primary" onPress={onRetry}>
            {texts.actions.retry}
          </Button>
        )}
      </section>
    </main>
  );
}
