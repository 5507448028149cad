import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useDeferredValue, useEffect, useState } from 'react';
import { Button } from 'react-aria-components';
import { Problem } from '../api/problem.ts';
import { useBrandStyles } from '../brand/use-brand-styles.ts';
import { Skeleton } from '../components/feedback/skeleton.tsx';
import { readConversation } from './chat/turn-message.ts';
import { isEmbedded } from './credential.ts';
import { tellHost } from './host.ts';
import { OpenBuilder } from './open-builder.tsx';
import { filesQuery, type Project, projectQuery, untilRead, type Visitor, visitorQuery } from './queries.ts';
import { isPassing, whenRefused } from './requests.ts';
import { texts } from './texts.ts';

/**
 * Why one of the queries has no data yet, while it is read again too; null before the first failure. A new attempt does
 * not clear it: the sentence about it stays until the data arrive.
 */
function useUnread(...queries: readonly Pick<UseQueryResult<unknown, unknown>, 'data' | 'failureReason'>[]): Problem | null {
  const [shown, setShown] = useState<Problem | null>(null);
  const reason = queries.find(({ data, failureReason }) => data === undefined && failureReason !== null)?.failureReason;
  const problem = reason == null ? null : Problem.of(reason);
  if (problem !== null && problem !== shown) setShown(problem);
  return problem ?? shown;
}

/** Replaces the builder by what keeps it from opening. A problem that passes is waited for; the button asks at once. */
function UnreadNotice({ title, problem }: { title: string; problem: Problem }) {
  const queries = useQueryClient();
  const readAgain = () => void queries.resetQueries({ predicate: ({ state }) => state.data === undefined });
  return <BuilderNotice title={title} text={isPassing(problem) ? texts.ended.goesOn : problem.message} onRetry={readAgain} />;
}

function BuilderNotice({ title, text, onRetry }: { title: string; text: string; onRetry?: () => void }) {
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

interface Props {
  readonly project: Project;
  readonly visitor: Visitor;
}

/** The builder of one project, once it is known what was said so far. */
function Builder({ project, visitor }: Props) {
  const conversation = useQuery({
    ...untilRead,
    queryKey: ['conversation', project.id],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: () => readConversation(project.id),
  });
  const files = useQuery(filesQuery(project.id));
  const problem = useUnread(conversation, files);
  useEffect(() => {
    document.title = texts.title({ name: project.name });
  }, [project.name]);
  const isOpen = conversation.data !== undefined && files.data !== undefined;
  useEffect(() => {
    if (isOpen) tellHost({ type: 'ready', project_id: project.id });
  }, [isOpen, project.id]);
  // Deferred, the builder is rendered in slices, between which a slow phone answers a touch.
  const opened = useDeferredValue(isOpen ? conversation.data : undefined);
  if (opened === undefined || files.data === undefined) {
    return problem === null ? <Skeleton /> : <UnreadNotice title={texts.ended.unread} problem={problem} />;
  }
  return (
    <OpenBuilder
      project={project}
      visitor={visitor}
      conversation={opened}
      hasFiles={files.data.some(({ path }) => path.endsWith('.html'))}
    />
  );
}

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
