import { useQueryClient } from '@tanstack/react-query';
import { hasPermission } from '../../api/permissions.ts';
import { Problem } from '../../api/problem.ts';
import { sessionQuery } from '../../api/session.ts';
import { texts } from '../../texts.ts';

/** The API's error message, or a text in its place, with the request id. */
export function ProblemNotice({ error, text }: { error: unknown; text?: string }) {
  if (error === null || error === undefined) return null;
  const { message, requestId } = Problem.of(error);
  return (
    <div className="notice bad" role="alert">
      <span>{text ?? message}</span>
      {requestId === undefined ? null : <RequestReference id={requestId} />}
    </div>
  );
}

/** The request id, linked to the request log if the role may read it. */
function RequestReference({ id }: { id: string }) {
  const session = useQueryClient().getQueryData(sessionQuery.queryKey);
  const text = texts.problem.requestId({ id });
  if (!hasPermission(session?.role ?? null, 'readRequests')) return <span className="small">{text}</span>;
  return (
    <a className="link small" href={`/requests/${encodeURIComponent(id)}`}>
      {text}
    </a>
  );
}
