import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Wand } from 'lucide-react';
import { useNavigate } from 'react-router';
import { api, readJson } from '../api/client.ts';
import { useAgencyTools, usePermission } from '../api/permissions.ts';
import { filesQuery, type Project } from '../api/records.ts';
import { ConfirmButton } from '../components/dialogs/confirm-button.tsx';
import { Card } from '../components/layout/card.tsx';
import { texts } from '../texts.ts';
import { EditProject } from './edit-project.tsx';
import { PreviewButton } from './preview-button.tsx';
import { PublishButton } from './publish-button.tsx';

const t = texts.projects;

/** The actions on a project. A client may publish its own projects, and edit them if its agency lets clients. */
export function ProjectActions({ project }: { project: Project }) {
  const canChange = usePermission('changeProjects');
  const hasTools = useAgencyTools();
  const { data: files = [] } = useQuery(filesQuery(project.id));
  return (
    <>
      {files.length === 0 ? null : <PreviewButton projectId={project.id} />}
      {canChange && hasTools ? <EditProject projectId={project.id} /> : null}
      {canChange ? (
        <a className="button" href={`/builder/${project.id}`}>
          <Wand size={15} aria-hidden />
          {t.openBuilder}
        </a>
      ) : null}
      {canChange ? <PublishButton project={project} /> : null}
    </>
  );
}

/** Deletes the project, for members who may: at the end of its page, apart from what is done every day. */
export function DeleteProject({ project: { id, name } }: { project: Project }) {
  const canWrite = usePermission('write');
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  if (!canWrite) return null;
  return (
    <Card title={t.remove} padded>
      <div className="stack">
        <p className="soft">{t.removeText}</p>
        <span className="actions">
          <ConfirmButton
            label={t.remove}
            title={name}
            text={t.removeText}
            variant=""
            action={async () => {
              await readJson(api.DELETE('/projects/{projectId}', { params: { path: { projectId: id } } }));
              await navigate('/projects');
              await queryClient.invalidateQueries({ queryKey: ['projects'] });
            }}
          />
        </span>
      </div>
    </Card>
  );
}
