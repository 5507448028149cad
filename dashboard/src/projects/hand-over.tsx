import { useQueryClient } from '@tanstack/react-query';
import { api, readJson } from '../api/client.ts';
import type { Client, Project } from '../api/records.ts';
import { useProjectOwners } from '../clients/project-owners.ts';
import { DialogButton } from '../components/dialogs/dialog-button.tsx';
import { ActionForm } from '../components/forms/action-form.tsx';
import { Select } from '../components/forms/select.tsx';
import { texts } from '../texts.ts';
import { NoOwner } from './no-owner.tsx';

const t = texts.projects;

/** Gives the project to another client. `client` is the one that has it, if any. */
export const HandOver = ({ project, client }: { project: Project; client: Client | undefined }) => (
  <DialogButton label={t.handOver} variant="compact" title={t.handOverTitle({ name: project.name })} text={t.handOverText}>
    {(close) => <HandOverForm projectId={project.id} from={client?.email} close={close} />}
  </DialogButton>
);

function HandOverForm({ projectId, from, close }: { projectId: string; from: string | undefined; close: () => void }) {
  const queryClient = useQueryClient();
  const others = useProjectOwners().filter(({ id }) => id !== from);
  if (others.length === 0) return <NoOwner text={t.nobodyToHandTo} />;
  return (
    <ActionForm
      submit={t.handOver}
      onCancel={close}
      action={async (values) => {
        const body = { client_email: values.text('client_email') };
        await readJson(api.POST('/projects/{projectId}/handover', { params: { path: { projectId } }, body }));
        for (const area of ['projects', 'clients']) void queryClient.invalidateQueries({ queryKey: [area] });
        close();
      }}
    >
      <Select key={others.length} label={t.handOverTo} name="client_email" options={others} initial={others[0]?.id} hint={t.activeOnly} />
    </ActionForm>
  );
}
