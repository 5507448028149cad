import { useQueryClient } from '@tanstack/react-query';
import { api, readJson, type Schemas } from '../api/client.ts';
import { DialogButton } from '../components/dialogs/dialog-button.tsx';
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
          <Checkbox name="revoke_keys" defaultSelected>
            {t.revokeKeys}
          </Checkbox>
        </ActionForm>
      )}
    </DialogButton>
  );
}
