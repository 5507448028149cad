import { type UseQueryResult, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { Problem } from '../api/problem.ts';
import { isPassing } from './requests.ts';
import { texts } from './texts.ts';

/**
 * Why one of the queries has no data yet, while it is read again too; null before the first failure. A new attempt does
 * not clear it: the sentence about it stays until the data arrive.
 */
export function useUnread(...queries: readonly Pick<UseQueryResult<unknown, unknown>, 'data' | 'failureReason'>[]): Problem | null {
  const [shown, setShown] = useState<Problem | null>(null);
  const reason = queries.find(({ data, failureReason }) => data === undefined && failureReason !== null)?.failureReason;
  const problem = reason == null ? null : Problem.of(reason);
  if (problem !== null && problem !== shown) setShown(problem);
  return problem ?? shown;
}

/** Replaces the builder by what keeps it from opening. A problem that passes is waited for; the button asks at once. */
export function UnreadNotice({ title, problem }: { title: string; problem: Problem }) {
  const queries = useQueryClient();
  const readAgain = () => void queries.resetQueries({ predicate: ({ state }) => state.data === undefined });
  return <BuilderNotice title={title} text={isPassing(problem) ? texts.ended.goesOn : problem.message} onRetry={readAgain} />;
}

export function BuilderNotice({ title, text, onRetry }: { title: string; text: string; onRetry?: () => void }) {
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
