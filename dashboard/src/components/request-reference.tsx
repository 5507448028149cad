import { useQueryClient } from '@tanstack/react-query';
import { Link } from 'react-router';
import { may } from '../api/may.ts';
import { sessionQuery } from '../api/session.ts';
import { texts } from '../texts.ts';

/** What to quote when asking for help about a request; who may read the log of requests gets there by it. */
export function RequestReference({ id }: { id: string }) {
  const session = useQueryClient().getQueryData(sessionQuery.queryKey);
  const text = texts.problem.requestId(id);
  if (!may(session?.role ?? null, 'readRequests')) return <span className="small">{text}</span>;
  return (
    <Link className="link small" to={`/requests?${new URLSearchParams({ request_id: id })}`}>
      {text}
    </Link>
  );
}
