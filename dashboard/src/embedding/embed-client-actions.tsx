import { answer, api, type Schemas } from '../api/client.ts';
import { embedClientQuery } from '../api/records.ts';
import { ConfirmButton } from '../components/confirm-button.tsx';
import { CreateDialog } from '../components/create-dialog.tsx';
import { EditDialog } from '../components/edit-dialog.tsx';
import { GraceHours } from '../components/grace-hours.tsx';
import { useAct } from '../components/use-act.ts';
import { texts } from '../texts.ts';
import { EmbedClientFields, filledIn } from './embed-client-fields.tsx';

const own = texts.embedding;

export interface Pair {
  readonly embed_client: Schemas['EmbedClient'];
  readonly secret: string;
}

interface Props {
  readonly client: Schemas['EmbedClient'];
  readonly onRotated: (pair: Pair) => void;
}

/** What can be done with an embed client. */
export function EmbedClientActions({ client: { id, name }, onRotated }: Props) {
  const path = { embedClientId: id };
  const remove = useAct('embed-clients', () => answer(api.DELETE('/account/embed-clients/{embedClientId}', { params: { path } })));
  return (
    <span className="actions end">
      <EditDialog
        look="compact quiet"
        title={own.edit}
        record={embedClientQuery(id)}
        save={(filled, etag) => {
          const params = { path, header: { 'If-Match': etag } };
          return answer(api.PATCH('/account/embed-clients/{embedClientId}', { params, body: filledIn(filled) }));
        }}
      >
        {({ embed_client }) => <EmbedClientFields client={embed_client} />}
      </EditDialog>
      <CreateDialog
        label={own.rotate}
        look="compact quiet"
        text={own.rotateText}
        area="embed-clients"
        create={(filled) => {
          const body = { grace_hours: filled.number('grace_hours') };
          return answer(api.POST('/account/embed-clients/{embedClientId}/rotate', { params: { path }, body }));
        }}
        onCreated={onRotated}
      >
        <GraceHours label={own.grace} />
      </CreateDialog>
      <ConfirmButton
        label={texts.actions.delete}
        title={`${own.remove}: ${name}`}
        text={own.removeText}
        action={() => remove.mutateAsync()}
      />
    </span>
  );
}
