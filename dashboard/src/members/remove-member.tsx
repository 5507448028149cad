import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from 'react-router';
import { api, readJson, type Schemas } from '../api/client.ts';
import { webhookSecretsQuery } from '../api/records.ts';
import { DialogButton } from '../components/dialogs/dialog-button.tsx';
import { ProblemNotice } from '../components/feedback/problem-notice.tsx';
import { ActionForm } from '../components/forms/action-form.tsx';
import { Checkbox } from '../components/forms/checkbox.tsx';
import { texts } from '../texts.ts';

const t = texts.members;

export function RemoveMember({ member }: { member: Schemas['Member'] }) {
  const queryClient = useQueryClient();
  const remove = (revoke_keys: boolean) =>
    readJson(api.DELETE('/account/members/{memberId}', { params: { path: { memberId: member.id }, query: { revoke_keys } } }));
  return (
    <DialogButton label={t.remove} variant="compact quiet" title={`${t.removeTitle}: ${member.email}`} text={t.removeText}>
      {(close) => (
        <ActionForm
          submit={t.remove}
          variant="danger"
          onCancel={close}
          action={async (values) => {
            await remove(values.isOn('revoke_keys'));
            await queryClient.invalidateQueries({ queryKey: ['members'] });
          }}
        >
          <KnownWebhooks memberId={member.id} />
          <Checkbox name="revoke_keys" defaultSelected>
            {t.revokeKeys}
          </Checkbox>
        </ActionForm>
      )}
    </DialogButton>
  );
}

/** The webhooks whose secret the member knows. Their receivers need the new ones, so each is rotated by a person. */
function KnownWebhooks({ memberId }: { memberId: string }) {
  const { data = [], error } = useQuery(webhookSecretsQuery());
  const known = data.filter(({ shown_to }) => shown_to === memberId);
  if (known.length === 0) return <ProblemNotice error={error} />;
  return (
    <div className="notice warn">
      <span>{t.knownWebhooks}</span>
      {known.map(({ id, url }) => (
        <Link key={id} className="link" to={`/webhooks/${id}`}>
          {url}
        </Link>
      ))}
    </div>
  );
}
