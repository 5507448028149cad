import { useMutation, useQuery } from '@tanstack/react-query';
import { Button } from 'react-aria-components';
import { Problem } from '../../api/problem.ts';
import { Timestamp } from '../../components/content/timestamp.tsx';
import { Badge } from '../../components/feedback/badge.tsx';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { QueryBoundary } from '../../components/feedback/query-boundary.tsx';
import { revisionsQuery } from '../queries.ts';
import { texts } from '../texts.ts';
import { restore } from './use-undo.ts';

const t = texts.history;

interface Props {
  readonly projectId: string;
  readonly onCompare: (revisionId: string) => void;
  readonly onChanged: () => void;
}

/** The states of the draft, newest first, each with its changes and a way back to it. */
export function HistoryTab({ projectId, onCompare, onChanged }: Props) {
  const query = useQuery(revisionsQuery(projectId));
  const back = useMutation({ mutationFn: (revisionId: string) => restore(projectId, revisionId), onSuccess: onChanged });
  const empty = {
    when: (revisions: readonly unknown[]) => revisions.length === 0,
    show: <EmptyState title={t.empty} text={t.emptyText} />,
  };
  return (
    <QueryBoundary query={query} empty={empty}>
      {(revisions) => (
        <>
          {back.error === null ? null : (
            <p className="notice bad" role="alert">
              {Problem.of(back.error).message}
            </p>
          )}
          <ol className="revisions">
            {revisions.map(({ id, number, title, origin, current, created_at }) => (
              <li key={id} className="revision">
                <span className="revision-number number soft">{number}</span>
                <div>
                  <p>{title}</p>
                  <p className="soft small">
                    {t.origins[origin]} · <Timestamp at={created_at} />
                  </p>
                </div>
                {current ? <Badge tone="good">{t.current}</Badge> : null}
                <div className="actions">
                  <Button className="button compact quiet" onPress={() => onCompare(id)}>
                    {t.changes}
                  </Button>
                  {current ? null : (
                    <Button className="button compact" isPending={back.isPending && back.variables === id} onPress={() => back.mutate(id)}>
                      {t.restore}
                    </Button>
                  )}
                </div>
              </li>
            ))}
          </ol>
        </>
      )}
    </QueryBoundary>
  );
}
