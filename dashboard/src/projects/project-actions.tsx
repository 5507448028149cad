import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ExternalLink } from 'lucide-react';
import { Button } from 'react-aria-components';
import { useNavigate } from 'react-router';
import { answer, api } from '../api/client.ts';
import { may } from '../api/may.ts';
import { filesQuery, type Project } from '../api/records.ts';
import { useSession } from '../api/session.ts';
import { ActionForm } from '../components/action-form.tsx';
import { ConfirmButton } from '../components/confirm-button.tsx';
import { DialogButton } from '../components/dialog-button.tsx';
import { ProblemNotice } from '../components/notice.tsx';
import { useAct } from '../components/use-act.ts';
import { texts } from '../texts.ts';
import { EditProject } from './edit-project.tsx';

const own = texts.projects;

/** What can be done with a project: a client may change and publish what is his, the agency may delete it besides. */
export function ProjectActions({ project }: { project: Project }) {
  const { role } = useSession();
  const mayWrite = may(role, 'write');
  const mayChange = may(role, 'changeProjects');
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { data: files = [] } = useQuery(filesQuery(project.id));
  const path = { projectId: project.id };
  const changed = () => queries.invalidateQueries({ queryKey: ['projects'] });

  const preview = useAct('preview', async () => {
    const { preview_url } = await answer(api.GET('/projects/{projectId}/preview', { params: { path } }));
    window.open(preview_url, '_blank', 'noopener');
  });

  return (
    <>
      <ProblemNotice error={preview.error} />
      {files.length === 0 ? null : (
        <Button className="button" onPress={() => preview.mutate()} isPending={preview.isPending}>
          {own.openPreview}
        </Button>
      )}
      {project.published_url === null ? null : (
        <a className="button" href={project.published_url} target="_blank" rel="noreferrer">
          <ExternalLink size={15} aria-hidden />
          {own.open}
        </a>
      )}
      {mayWrite ? (
        <ConfirmButton
          label={own.remove}
          title={project.name}
          text={own.removeText}
          look="quiet"
          action={async () => {
            await answer(api.DELETE('/projects/{projectId}', { params: { path } }));
            await navigate('/projects');
            await changed();
          }}
        />
      ) : null}
      {mayChange ? <EditProject projectId={project.id} /> : null}
      {mayChange && files.length > 0 ? (
        <DialogButton label={own.publish} look="primary" title={own.publish} text={own.publishText}>
          {(close) => (
            <ActionForm
              submit={own.publish}
              onCancel={close}
              action={async () => {
                await answer(api.POST('/projects/{projectId}/publish', { params: { path }, body: {} }));
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
