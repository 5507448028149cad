import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Check } from 'lucide-react';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { api, readJson, type Schemas } from '../api/client.ts';
import { draftQuery, type Project } from '../api/records.ts';
import { PublishWarnings } from '../components/content/publish-warnings.tsx';
import { Timestamp } from '../components/content/timestamp.tsx';
import { DialogButton } from '../components/dialogs/dialog-button.tsx';
import { QueryBoundary } from '../components/feedback/query-boundary.tsx';
import { ActionForm } from '../components/forms/action-form.tsx';
import { Field } from '../components/forms/field.tsx';
import { texts } from '../texts.ts';

const t = texts.projects;
const maxNamed = 8;

/** Publishes the draft where it differs from the live site, and says before what changes for visitors. */
export function PublishButton({ project: { id, last_published_at } }: { project: Project }) {
  const { data: draft } = useQuery(draftQuery(id));
  if (draft === undefined || draft.files === 0) return null;
  if (draft.up_to_date) {
    return (
      <span className="soft small up-to-date">
        <Check size={15} aria-hidden />
        {t.upToDate}
      </span>
    );
  }
  return (
    <DialogButton
      label={t.publish}
      variant="primary"
      title={t.publish}
      text={last_published_at === null ? t.firstPublishText : t.publishText}
    >
      {(close) => <PublishForm projectId={id} close={close} />}
    </DialogButton>
  );
}

function PublishForm({ projectId, close }: { projectId: string; close: () => void }) {
  const queryClient = useQueryClient();
  const [warnings, setWarnings] = useState<Schemas['PublishWarning'][]>([]);
  const query = useQuery({ ...draftQuery(projectId), staleTime: 0 });
  // Not before the warnings were seen: the button that holds this dialog goes once the site is up to date.
  const finish = async () => {
    await queryClient.invalidateQueries({ queryKey: ['projects'] });
    close();
  };
  if (warnings.length > 0) {
    return (
      <div className="stack">
        <PublishWarnings title={t.publishWarnings} warnings={warnings} />
        <span className="actions end">
          <Button className="button primary" onPress={() => void finish()} autoFocus>
            {texts.actions.done}
          </Button>
        </span>
      </div>
    );
  }
  return (
    <ActionForm
      submit={t.publish}
      onCancel={close}
      action={async (values) => {
        const message = values.text('message').trim();
        const body = message === '' ? {} : { message };
        const published = await readJson(api.POST('/projects/{projectId}/publish', { params: { path: { projectId } }, body }));
        if (published.warnings === undefined) await finish();
        else setWarnings(published.warnings);
      }}
    >
      <QueryBoundary query={query}>
        {(draft) => (
          <dl className="facts">
            <dt>{t.draftChanged}</dt>
            <dd>
              <Timestamp at={draft.changed_at} />
            </dd>
            <Changed name={t.added} files={draft.added} />
            <Changed name={t.changed} files={draft.changed} />
            <Changed name={t.removed} files={draft.removed} />
          </dl>
        )}
      </QueryBoundary>
      <Field label={t.publishMessage} name="message" maxLength={200} placeholder={t.publishMessageExample} />
    </ActionForm>
  );
}

/** How many files, and which if they are few. */
function Changed({ name, files: { count, paths } }: { name: string; files: Schemas['ChangedFiles'] }) {
  if (count === 0) return null;
  return (
    <>
      <dt>{name}</dt>
      <dd>{count > maxNamed ? t.filesCount({ count }) : paths.join(', ')}</dd>
    </>
  );
}
