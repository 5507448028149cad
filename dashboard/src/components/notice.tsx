import { Problem } from '../api/problem.ts';
import { RequestReference } from './request-reference.tsx';

/** The API's own sentence about what went wrong, and what to quote when asking for help. */
export function ProblemNotice({ error }: { error: unknown }) {
  if (error === null || error === undefined) return null;
  const { message, requestId } = Problem.of(error);
  return (
    <div className="notice bad" role="alert">
      <span>{message}</span>
      {requestId === undefined ? null : <RequestReference id={requestId} />}
    </div>
  );
}
