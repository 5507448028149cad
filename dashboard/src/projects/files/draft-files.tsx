import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { api, readJson, type Schemas } from '../../api/client.ts';
import { usePermission } from '../../api/permissions.ts';
import { Problem } from '../../api/problem.ts';
import { filesQuery } from '../../api/records.ts';
import { curl } from '../../components/content/curl.ts';
import { formatBytes } from '../../components/content/format-bytes.ts';
import { ConfirmButton } from '../../components/dialogs/confirm-button.tsx';
import { CreateDialog } from '../../components/dialogs/create-dialog.tsx';
import { DialogButton } from '../../components/dialogs/dialog-button.tsx';
import { Modal } from '../../components/dialogs/modal.tsx';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { Field } from '../../components/forms/field.tsx';
import { RecordList } from '../../components/tables/record-list.tsx';
import { texts } from '../../texts.ts';
import { PreviewButton } from '../preview-button.tsx';
import { FileEditor } from './file-editor.tsx';
import { UploadZone } from './upload-zone.tsx';

const t = texts.files;
const maxEditedBytes = 512 * 1024;
const isEditable = ({ content_type, size }: Schemas['File']) =>
  size <= maxEditedBytes && /^text\/|json|javascript|xml|svg/.test(content_type);

/** Tells a person without files how to bring some. */
export function EmptyDraft({ projectId }: { projectId: string }) {
  const canChange = usePermission('changeProjects');
  const request = curl('PUT', `/projects/${projectId}/files`, { files: { 'index.html': '<h1>Hello</h1>' } });
  if (!canChange) return <EmptyState title={t.none} text={t.noneText} />;
  return (
    <EmptyState title={t.none} text={t.noneText} request={request}>
      <UploadZone projectId={projectId} />
    </EmptyState>
  );
}

/** The files of a project's draft: replaced as a whole, written, edited and deleted. */
export function DraftFiles({ projectId }: { projectId: string }) {
  const canChange = usePermission('changeProjects');
  const query = useQuery(filesQuery(projectId));
  const queryClient = useQueryClient();
  const [edited, setEdited] = useState<string>();
  const close = () => setEdited(undefined);
  const files = query.data ?? [];
  const inPath = (path: string) => ({ params: { path: { projectId, path } } });

  async function create(path: string): Promise<string> {
    if (files.some((file) => file.path === path)) throw Problem.at('path', t.exists, undefined);
    await readJson(api.PUT('/projects/{projectId}/files/{path}', { ...inPath(path), body: { file: '' } }));
    return path;
  }
  async function remove(path: string): Promise<void> {
    await readJson(api.DELETE('/projects/{projectId}/files/{path}', inPath(path)));
    await queryClient.invalidateQueries({ queryKey: ['projects'] });
  }

  return (
    <>
      <RecordList
        label={t.title}
        titled
        actions={
          files.length === 0 ? null : (
            <div className="actions">
              <PreviewButton projectId={projectId} variant="compact" />
              {canChange ? (
                <>
                  <DialogButton label={t.replace} variant="compact" title={t.replace} text={t.replaceText}>
                    {(done) => <UploadZone projectId={projectId} onUploaded={done} />}
                  </DialogButton>
                  <CreateDialog
                    label={t.create}
                    variant="compact"
                    area="projects"
                    create={(values) => create(values.text('path'))}
                    onCreated={setEdited}
                  >
                    <Field label={t.path} name="path" placeholder="about/index.html" maxLength={1024} isRequired autoFocus />
                  </CreateDialog>
                </>
              ) : null}
            </div>
          )
        }
        query={query}
        records={(all) => all.map((file) => ({ ...file, id: file.path }))}
        empty={<EmptyDraft projectId={projectId} />}
        columns={[
          {
            name: t.path,
            cell: (file) =>
              canChange && isEditable(file) ? (
                <Button className="link file-path" onPress={() => setEdited(file.path)}>
                  {file.path}
                </Button>
              ) : (
                <code className="file-path">{file.path}</code>
              ),
          },
          { name: t.size, cell: ({ size }) => <span className="number">{formatBytes(size)}</span>, end: true },
          {
            name: t.remove,
            unnamed: true,
            end: true,
            cell: ({ path }) =>
              canChange ? (
                <ConfirmButton label={t.remove} title={t.removeTitle({ path })} text={t.removeText} action={() => remove(path)} />
              ) : null,
          },
        ]}
      />
      <Modal title={edited ?? ''} isOpen={edited !== undefined} onOpenChange={close} isDismissable={false} isWide>
        {edited === undefined ? null : <FileEditor projectId={projectId} path={edited} close={close} />}
      </Modal>
    </>
  );
}
