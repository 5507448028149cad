import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ExternalLink, Wand } from 'lucide-react';
import { Button } from 'react-aria-components';
import { useNavigate } from 'react-router';
import { api, readJson } from '../api/client.ts';
import { hasPermission } from '../api/permissions.ts';
import { filesQuery, type Project } from '../api/records.ts';
import { useSession } from '../api/session.ts';
import { useAction } from '../api/use-action.ts';
import { ConfirmButton } from '../components/dialogs/confirm-button.tsx';
import { DialogButton } from '../components/dialogs/dialog-button.tsx';
import { ProblemNotice } from '../components/feedback/problem-notice.tsx';
import { ActionForm } from '../components/forms/action-form.tsx';
import { texts } from '../texts.ts';
import { EditProject } from './edit-project.tsx';

const t = texts.projects;

/** The actions on a project. A client may edit and publish its own projects; only members may delete. */
export function ProjectActions({ project }: { project: Project }) {
  const { role } = useSession();
  const canWrite = hasPermission(role, 'write');
  const canChange = hasPermission(role, 'changeProjects');
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const { data: files = [] } = useQuery(filesQuery(project.id));
  const path = { projectId: project.id };
  const changed = () => queryClient.invalidateQueries({ queryKey: ['projects'] });

  const preview = useAction('preview', async () => {
    const { preview_url } = await readJson(api.GET('/projects/{projectId}/preview', { params: { path } }));
    window.open(preview_url, '_blank', 'noopener');
  });

  return (
    <>
      <ProblemNotice error={preview.error} />
      {canChange ? (
        <a className="button" href={`/builder/${project.id}`}>
          <Wand size={15} aria-hidden />
          {t.openBuilder}
        </a>
      ) : null}
      {files.length === 0 ? null : (
        <Button className="button" onPress={() => preview.mutate()} isPending={preview.isPending}>
          {t.openPreview}
        </Button>
      )}
      {project.published_url === null ? null : (
        <a className="button" href={project.published_url} target="_blank" rel="noreferrer">
          <ExternalLink size={15} aria-hidden />
          {t.open}
        </a>
      )}
      {canWrite ? (
        <ConfirmButton
          label={t.remove}
          title={project.name}
          text={t.removeText}
          variant="quiet"
          action={async () => {
            await readJson(api.DELETE('/projects/{projectId}', { params: { path } }));
            await navigate('/projects');
            await changed();
          }}
        />
      ) : null}
      {canChange ? <EditProject projectId={project.id} /> : null}
      {canChange && files.length > 0 ? (
        <DialogButton label={t.publish} variant="primary" title={t.publish} text={t.publishText}>
          {(close) => (
            <ActionForm
              submit={t.publish}
              onCancel={close}
              action={async () => {
                await readJson(api.POST('/projects/{projectId}/publish', { params: { path }, body: {} }));
                await changed();
                close();
              }}
            >
              {null}
            </ActionForm>
          )}
        </DialogButton>
      ) : null}
    </>
  );
}
