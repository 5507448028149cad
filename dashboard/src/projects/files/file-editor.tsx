import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { api, readJson } from '../../api/client.ts';
import { Problem } from '../../api/problem.ts';
import { ProblemNotice } from '../../components/feedback/problem-notice.tsx';
import { QueryBoundary } from '../../components/feedback/query-boundary.tsx';
import { texts } from '../../texts.ts';

const t = texts.files;

interface Loaded {
  readonly text: string;
  readonly etag: string;
}

/** The text of a file of the draft, with its ETag. Throws a `Problem`, also if it is no text. */
async function load(projectId: string, path: string): Promise<Loaded> {
  const response = await fetch(`/api/v1/projects/${projectId}/files/${encodeURIComponent(path)}`).catch((error: unknown) => {
    throw Problem.of(error);
  });
  if (!response.ok) throw await Problem.answered(response.status, await response.json().catch(() => ({})));
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await response.arrayBuffer());
    return { text, etag: response.headers.get('etag') ?? '*' };
  } catch {
    throw new Problem(200, { error: t.noText });
  }
}

interface Props {
  readonly projectId: string;
  readonly path: string;
  readonly close: () => void;
}

/** Edits one text file of the draft. It never overwrites a change of somebody else without saying so. */
export function FileEditor({ projectId, path, close }: Props) {
  const query = useQuery({
    queryKey: ['file-text', projectId, path],
    queryFn: () => load(projectId, path),
    gcTime: 0,
    refetchOnWindowFocus: false,
    retry: false,
  });
  return (
    <QueryBoundary query={query}>
      {(loaded) => <Form key={loaded.etag} {...{ projectId, path, close, loaded }} reload={() => query.refetch()} />}
    </QueryBoundary>
  );
}

function Form({ projectId, path, close, loaded, reload }: Props & { loaded: Loaded; reload: () => Promise<unknown> }) {
  const queryClient = useQueryClient();
  const [text, setText] = useState(loaded.text.replaceAll('\r\n', '\n'));
  const save = useMutation({
    mutationFn: ({ overwrites }: { overwrites: boolean }) => {
      const header = overwrites ? {} : { 'If-Match': loaded.etag };
      // Text areas have line feeds alone.
      const file = loaded.text.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text;
      return readJson(api.PUT('/projects/{projectId}/files/{path}', { params: { path: { projectId, path }, header }, body: { file } }));
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['projects'] });
      close();
    },
  });
  const isConflict = Problem.of(save.error).status === 412;
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate({ overwrites: false });
      }}
    >
      <textarea
        className="input file-text"
        aria-label={t.textOf({ path })}
        value={text}
        onChange={({ target }) => setText(target.value)}
        spellCheck={false}
        autoCapitalize="off"
        autoComplete="off"
      />
      {isConflict ? (
        <div className="notice warn" role="alert">
          <span>{t.conflict}</span>
          <div className="actions">
            <Button className="button compact" onPress={() => void reload()}>
              {t.loadOther}
            </Button>
            <Button className="button compact" onPress={() => save.mutate({ overwrites: true })} isPending={save.isPending}>
              {t.overwrite}
            </Button>
          </div>
        </div>
      ) : (
        <ProblemNotice error={save.error} />
      )}
      <div className="actions end">
        <Button className="button" onPress={close}>
          {texts.actions.cancel}
        </Button>
        <Button type="submit" className="button primary" isPending={save.isPending}>
          {texts.actions.save}
        </Button>
      </div>
    </form>
  );
}
