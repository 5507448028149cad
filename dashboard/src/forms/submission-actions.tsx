import { Button } from 'react-aria-components';
import { api, readJson, type Schemas } from '../api/client.ts';
import { useAction } from '../api/use-action.ts';
import { ConfirmButton } from '../components/dialogs/confirm-button.tsx';
import { texts } from '../texts.ts';

const t = texts.forms;

interface Props {
  readonly projectId: string;
  readonly submission: Schemas['Submission'];
}

export function SubmissionActions({ projectId, submission: { id, spam } }: Props) {
  const params = { path: { projectId, submissionId: id } };
  const mark = useAction('forms', () =>
    readJson(api.PATCH('/projects/{projectId}/forms/submissions/{submissionId}', { params, body: { spam: !spam } })),
  );
  const remove = useAction('forms', () => readJson(api.DELETE('/projects/{projectId}/forms/submissions/{submissionId}', { params })));
  return (
    <span className="actions end">
      <Button className="button compact quiet" onPress={() => mark.mutate()} isPending={mark.isPending}>
        {spam ? t.noSpam : t.spam}
      </Button>
      <ConfirmButton label={texts.actions.delete} title={t.remove} text={t.removeText} action={() => remove.mutateAsync()} />
    </span>
  );
}
