import { answer, api } from '../api/client.ts';
import { CreateDialog } from '../components/create-dialog.tsx';
import { GraceHours } from '../components/grace-hours.tsx';
import { texts } from '../texts.ts';

const own = texts.keys;

/** Replaces a key by a new one; the old one may go on for some hours. */
export function RotateKey({ keyId, onRotated }: { keyId: string; onRotated: (secret: string) => void }) {
  return (
    <CreateDialog
      label={own.rotate}
      look="compact quiet"
      text={own.rotateText}
      area="keys"
      create={(filled) => {
        const body = { grace_hours: filled.number('grace_hours') };
        return answer(api.POST('/account/keys/{keyId}/rotate', { params: { path: { keyId } }, body }));
      }}
      onCreated={({ secret }) => onRotated(secret)}
    >
      <GraceHours label={own.grace} />
    </CreateDialog>
  );
}
