import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useBrandStyles } from '../brand/use-brand-styles.ts';
import { Skeleton } from '../components/feedback/skeleton.tsx';
import { Builder } from './builder.tsx';
import { BuilderNotice, UnreadNotice, useUnread } from './builder-notice.tsx';
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
export function BuilderLoader() {
  const hasEnded = useEnd();
  const visitor = useQuery(visitorQuery);
  const project = useQuery(projectQuery(projectId));
  const problem = useUnread(project, visitor);
  useBrandStyles(visitor.data?.brand ?? null);
  if (hasEnded) return <BuilderNotice title={texts.ended.title} text={texts.ended.text} />;
  if (visitor.data !== undefined && project.data !== undefined) return <Builder project={project.data} visitor={visitor.data} />;
  if (problem === null || problem.status === 401) return <Skeleton />;
  if ([404, 422].includes(problem.status)) return <BuilderNotice title={texts.ended.missing} text={texts.ended.missingText} />;
  return <UnreadNotice title={texts.ended.failed} problem={problem} />;
}
