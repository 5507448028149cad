import { Button } from 'react-aria-components';
import { answer, api, type Schemas } from '../api/client.ts';
import { ConfirmButton } from '../components/confirm-button.tsx';
import { useAct } from '../components/use-act.ts';
import { texts } from '../texts.ts';

const own = texts.forms;

interface Props {
  readonly projectId: string;
  readonly submission: Schemas['Submission'];
}

export function SubmissionActions({ projectId, submission: { id, spam } }: Props) {
  const params = { path: { projectId, submissionId: id } };
  const mark = useAct('forms', () =>
    answer(api.PATCH('/projects/{projectId}/forms/submissions/{submissionId}', { params, body: { spam: !spam } })),
  );
  const remove = useAct('forms', () => answer(api.DELETE('/projects/{projectId}/forms/submissions/{submissionId}', { params })));
  return (
    <span className="actions end">
      <Button className="button compact quiet" onPress={() => mark.mutate()} isPending={mark.isPending}>
        {spam ? own.noSpam : own.spam}
      </Button>
      <ConfirmButton label={texts.actions.delete} title={own.remove} text={own.removeText} action={() => remove.mutateAsync()} />
    </span>
  );
}
