import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ExternalLink, Wand } from 'lucide-react';
import { useNavigate } from 'react-router';
import { api, readJson } from '../api/client.ts';
import { hasPermission } from '../api/permissions.ts';
import { filesQuery, type Project } from '../api/records.ts';
import { useSession } from '../api/session.ts';
import { ConfirmButton } from '../components/dialogs/confirm-button.tsx';
import { texts } from '../texts.ts';
import { EditProject } from './edit-project.tsx';
import { PreviewButton } from './preview-button.tsx';
import { PublishButton } from './publish-button.tsx';

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

  return (
    <>
      {canChange ? (
        <a className="button" href={`/builder/${project.id}`}>
          <Wand size={15} aria-hidden />
          {t.openBuilder}
        </a>
      ) : null}
      {files.length === 0 ? null : <PreviewButton projectId={project.id} />}
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
      {canChange ? <PublishButton project={project} /> : null}
    </>
  );
}
