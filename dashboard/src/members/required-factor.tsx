import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from 'react-router';
import { api, readJson } from '../api/client.ts';
import { hasPermission } from '../api/permissions.ts';
import { organizationQuery } from '../api/records.ts';
import { useSession } from '../api/session.ts';
import { useAction } from '../api/use-action.ts';
import { ProblemNotice } from '../components/feedback/problem-notice.tsx';
import { Toggle } from '../components/forms/toggle.tsx';
import { Card } from '../components/layout/card.tsx';
import { texts } from '../texts.ts';

const t = texts.members;

/** The choice to require a second factor of all members. Owners make it, and need one of their own first. */
export function RequiredFactor() {
  const { account, role } = useSession();
  const { data } = useQuery(organizationQuery());
  const queryClient = useQueryClient();
  const change = useAction('organization', async (require_second_factor: boolean) => {
    await readJson(api.PATCH('/account/organization', { body: { require_second_factor } }));
    await queryClient.invalidateQueries({ queryKey: ['session'] });
  });
  if (data === undefined) return null;
  const isRequired = change.isPending ? change.variables : data.body.organization.require_second_factor;
  const isOwner = hasPermission(role, 'makeOwners');
  const lacksOwn = !account.two_factor && !isRequired;
  return (
    <Card title={t.secondFactor} padded>
      <div className="stack">
        <Toggle isSelected={isRequired} onChange={(isOn) => change.mutate(isOn)} isDisabled={!isOwner || lacksOwn || change.isPending}>
          {t.requireFactor}
        </Toggle>
        <p className="soft small">{t.requireFactorText}</p>
        {isOwner && lacksOwn ? (
          <p className="small">
            {t.ownFactorFirst}{' '}
            <Link className="link" to="/account">
              {texts.account.title}
            </Link>
          </p>
        ) : null}
        {isOwner ? null : <p className="soft small">{t.ownersOnly}</p>}
        <ProblemNotice error={change.error} />
      </div>
    </Card>
  );
}
