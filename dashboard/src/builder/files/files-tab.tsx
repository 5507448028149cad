import { useMutation, useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { Problem } from '../../api/problem.ts';
import { Badge } from '../../components/feedback/badge.tsx';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { Skeleton } from '../../components/feedback/skeleton.tsx';
import { saveZip } from '../../history/history-queries.ts';
import { type File, filesQuery, revisionFilesQuery, revisionsQuery } from '../queries.ts';
import { texts } from '../texts.ts';
import { FileContent, FileDiff } from './file-content.tsx';

function ExportButton({ projectId }: { projectId: string }) {
  const { mutate, isPending, error } = useMutation({ mutationFn: () => saveZip(projectId) });
  return (
    <>
      {error === null ? null : (
        <span className="small" role="alert">
          {Problem.of(error).message}
        </span>
      )}
      <Button className="button compact" isPending={isPending} onPress={() => mutate()}>
        <Download size={14} aria-hidden />
        {texts.files.export}
      </Button>
    </>
  );
}

const t = texts.files;

interface Listed {
  readonly path: string;
  readonly before: File | undefined;
  readonly after: File | undefined;
}

interface Props {
  readonly projectId: string;
  /** The revision whose changes are shown; undefined: the files as they are. */
  readonly compared: string | undefined;
  readonly onCompare: (revisionId: string | undefined) => void;
}

/** The content of each path in two states, by path; only the paths that differ. */
function changesBetween(before: readonly File[], after: readonly File[]): Listed[] {
  const [old, now] = [before, after].map((files) => new Map(files.map((file) => [file.path, file])));
  const paths = [...new Set([...before, ...after].map(({ path }) => path))].sort();
  const both = paths.map((path) => ({ path, before: old?.get(path), after: now?.get(path) }));
  return both.filter((file) => file.before?.sha256 !== file.after?.sha256);
}

/** The files to list; undefined while they load. */
function useListed(projectId: string, compared: string | undefined) {
  const { data: files } = useQuery(filesQuery(projectId));
  const { data: revisions } = useQuery({ ...revisionsQuery(projectId), enabled: compared !== undefined });
  const at = revisions?.findIndex(({ id }) => id === compared) ?? -1;
  const [revision, previous] = at < 0 ? [] : [revisions?.[at], revisions?.[at + 1]];
  const after = useQuery({ ...revisionFilesQuery(projectId, revision?.id ?? ''), enabled: revision !== undefined }).data;
  const before = useQuery({ ...revisionFilesQuery(projectId, previous?.id ?? ''), enabled: previous !== undefined }).data;
  if (compared === undefined) return { listed: files?.map((file): Listed => ({ path: file.path, before: undefined, after: file })) };
  const isReady = after !== undefined && (previous === undefined || before !== undefined);
  return { revision, previous, listed: isReady ? changesBetween(before ?? [], after) : undefined };
}

/** The files with their content, read-only; or what a revision changed. */
export function FilesTab({ projectId, compared, onCompare }: Props) {
  const { listed, revision, previous } = useListed(projectId, compared);
  const [chosen, setChosen] = useState<string>();
  if (listed === undefined) return <Skeleton />;
  const shown = listed.find(({ path }) => path === chosen) ?? listed.find(({ path }) => path === 'index.html') ?? listed[0];
  return (
    <div className="files">
      <div className="toolbar">
        <span>{revision === undefined ? t.draft : t.changesOf({ number: revision.number, title: revision.title })}</span>
        {revision === undefined ? null : (
          <Button className="button compact quiet" onPress={() => onCompare(undefined)}>
            {t.draft}
          </Button>
        )}
        {revision === undefined && shown !== undefined ? <ExportButton projectId={projectId} /> : null}
      </div>
      {shown === undefined ? <EmptyState title={revision === undefined ? t.empty : t.unchanged} text="" /> : null}
      {shown === undefined ? null : (
        <div className="files-columns">
          <nav className="file-list" aria-label={t.label}>
            {listed.map((file) => (
              <Button
                key={file.path}
                className="file"
                aria-current={file === shown ? 'true' : undefined}
                onPress={() => setChosen(file.path)}
              >
                <span>{file.path}</span>
                {revision === undefined ? null : <Change {...file} />}
              </Button>
            ))}
          </nav>
          {revision === undefined || shown.after === undefined ? (
            <FileContent
              key={shown.path}
              projectId={projectId}
              revisionId={shown.after ? undefined : previous?.id}
              file={shown.after ?? shown.before}
            />
          ) : (
            <FileDiff
              key={shown.path}
              projectId={projectId}
              from={previous?.id}
              to={revision.id}
              before={shown.before}
              after={shown.after}
            />
          )}
        </div>
      )}
    </div>
  );
}

function Change({ before, after }: Listed) {
  if (before === undefined) return <Badge tone="good">{t.added}</Badge>;
  return after === undefined ? <Badge tone="bad">{t.removed}</Badge> : <Badge>{t.changed}</Badge>;
}
