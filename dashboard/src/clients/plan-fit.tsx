import { useQuery } from '@tanstack/react-query';
import { clientLimitsQuery } from '../api/records.ts';

interface Props {
  readonly clientId: string;
  /** In place of the client's own plan. */
  readonly planId?: string;
}

/** Says where a client uses more than a plan allows, and what that means. */
export function PlanFit({ clientId, planId }: Props) {
  const { data: limits = [] } = useQuery({ ...clientLimitsQuery(clientId, planId), staleTime: 0 });
  const exceeded = limits.filter(({ is_exceeded }) => is_exceeded);
  if (exceeded.length === 0) return null;
  return (
    <div className="notice warn" role="status">
      {exceeded.map(({ limit, message }) => (
        <p key={limit}>{message}</p>
      ))}
    </div>
  );
}
