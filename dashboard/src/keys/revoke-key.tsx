import { answer, api } from '../api/client.ts';
import { ConfirmButton } from '../components/confirm-button.tsx';
import { useAct } from '../components/use-act.ts';
import { texts } from '../texts.ts';

const own = texts.keys;

export function RevokeKey({ keyId, name }: { keyId: string; name: string }) {
  const revoke = useAct('keys', () => answer(api.DELETE('/account/keys/{keyId}', { params: { path: { keyId } } })));
  return (
    <ConfirmButton label={own.revoke} title={`${own.revokeTitle}: ${name}`} text={own.revokeText} action={() => revoke.mutateAsync()} />
  );
}
