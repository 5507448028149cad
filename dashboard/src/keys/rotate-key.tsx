import { api, readJson } from '../api/client.ts';
import { CreateDialog } from '../components/dialogs/create-dialog.tsx';
import { GraceHours } from '../components/forms/grace-hours.tsx';
import { texts } from '../texts.ts';

const t = texts.keys;

/** Replaces a key. The old one can stay valid for some hours. */
export function RotateKey({ keyId, onRotated }: { keyId: string; onRotated: (secret: string) => void }) {
  return (
    <CreateDialog
      label={t.rotate}
      variant="compact quiet"
      text={t.rotateText}
      area="keys"
      create={(values) => {
        const body = { grace_hours: values.number('grace_hours') };
        return readJson(api.POST('/account/keys/{keyId}/rotate', { params: { path: { keyId } }, body }));
      }}
      onCreated={({ secret }) => onRotated(secret)}
    >
      <GraceHours label={t.grace} />
    </CreateDialog>
  );
}
