import { useQueryClient } from '@tanstack/react-query';
import { answer, api, type Schemas } from '../api/client.ts';
import { ActionForm } from '../components/action-form.tsx';
import { DialogButton } from '../components/dialog-button.tsx';
import { Tick } from '../components/tick.tsx';
import { texts } from '../texts.ts';

const own = texts.members;

export function RemoveMember({ member }: { member: Schemas['Member'] }) {
  const queries = useQueryClient();
  const remove = (revoke_keys: boolean) =>
    answer(
      api.DELETE('/account/members/{memberId}', { params: { path: { memberId: member.id }, query: { revoke_keys: String(revoke_keys) } } }),
    );
  return (
    <DialogButton label={own.remove} look="compact quiet" title={`${own.removeTitle}: ${member.email}`} text={own.removeText}>
      {(close) => (
        <ActionForm
          submit={own.remove}
          look="danger"
          onCancel={close}
          action={async (filled) => {
            await remove(filled.isOn('revoke_keys'));
            await queries.invalidateQueries({ queryKey: ['members'] });
          }}
        >
          <Tick name="revoke_keys" defaultSelected>
            {own.revokeKeys}
          </Tick>
        </ActionForm>
      )}
    </DialogButton>
  );
}
