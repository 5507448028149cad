import { api, readJson, type Schemas } from '../api/client.ts';
import { embedClientQuery } from '../api/records.ts';
import { useAction } from '../api/use-action.ts';
import { ConfirmButton } from '../components/dialogs/confirm-button.tsx';
import { CreateDialog } from '../components/dialogs/create-dialog.tsx';
import { EditDialog } from '../components/dialogs/edit-dialog.tsx';
import { GraceHours } from '../components/forms/grace-hours.tsx';
import { texts } from '../texts.ts';
import { EmbedClientFields, embedClientBody } from './embed-client-fields.tsx';

const t = texts.embedding;

export interface EmbedClientWithSecret {
  readonly embed_client: Schemas['EmbedClient'];
  readonly secret: string;
}

interface Props {
  readonly client: Schemas['EmbedClient'];
  readonly onRotated: (created: EmbedClientWithSecret) => void;
}

export function EmbedClientActions({ client: { id, name }, onRotated }: Props) {
  const path = { embedClientId: id };
  const remove = useAction('embed-clients', () => readJson(api.DELETE('/account/embed-clients/{embedClientId}', { params: { path } })));
  return (
    <span className="actions end">
      <EditDialog
        variant="compact quiet"
        title={t.edit}
        record={embedClientQuery(id)}
        save={(values, etag) => {
          const params = { path, header: { 'If-Match': etag } };
          return readJson(api.PATCH('/account/embed-clients/{embedClientId}', { params, body: embedClientBody(values) }));
        }}
      >
        {({ embed_client }) => <EmbedClientFields client={embed_client} />}
      </EditDialog>
      <CreateDialog
        label={t.rotate}
        variant="compact quiet"
        text={t.rotateText}
        area="embed-clients"
        create={(values) => {
          const body = { grace_hours: values.number('grace_hours') };
          return readJson(api.POST('/account/embed-clients/{embedClientId}/rotate', { params: { path }, body }));
        }}
        onCreated={onRotated}
      >
        <GraceHours label={t.grace} />
      </CreateDialog>
      <ConfirmButton label={texts.actions.delete} title={`${t.remove}: ${name}`} text={t.removeText} action={() => remove.mutateAsync()} />
    </span>
  );
}
