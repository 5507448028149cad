import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useCallback, useEffect, useRef, useState } from 'react';
import { BuilderBar } from './builder-bar.tsx';
import { Chat } from './chat/chat.tsx';
import type { Conversation } from './chat/turn-message.ts';
import { useTurns } from './chat/use-turns.ts';
import { useUndo } from './history/use-undo.ts';
import { useAttachments } from './pictures/use-attachments.ts';
import { partOf, type Selected } from './preview/preview-frame.ts';
import { useLivePreview } from './preview/use-live-preview.ts';
import { type ChatModels, modelsQuery, type Picture, type Project, type Visitor } from './queries.ts';
import { takeStart } from './start.ts';
import { texts } from './texts.ts';
import { Workspace, type WorkTab } from './workspace.tsx';

interface Props {
  readonly project: Project;
  readonly visitor: Visitor;
  readonly conversation: Conversation;
  readonly hasFiles: boolean;
}

const Library = lazy(() => import('./pictures/library.tsx').then(({ Library: loaded }) => ({ default: loaded })));
const noModels: ChatModels = { models: [], default_model: null };

/** Chat and workspace of one project. What was said so far is read once, when it opens. */
export function OpenBuilder({ project, visitor, conversation, hasFiles }: Props) {
  const queries = useQueryClient();
  const { frame, changed } = useLivePreview();
  const [start] = useState(() => (conversation.messages.length === 0 ? takeStart(project.id, visitor.prompt) : undefined));
  const [selected, setSelected] = useState<Selected | null>(null);
  /** The open library. With `replaces` the picture that is chosen takes the place of the selected one. */
  const [library, setLibrary] = useState<{ readonly replaces: Selected | null } | null>(null);
  const attached = useAttachments(project.id);
  const [pane, setPane] = useState<'chat' | 'site'>('chat');
  const [tab, setTab] = useState<WorkTab>('preview');
  const [compared, setCompared] = useState<string>();
  const [hasWritten, setWritten] = useState(false);
  const onFile = useCallback(
    ({ path }: { path: string }) => {
      setWritten(true);
      changed(path);
    },
    [changed],
  );
  const onChanged = useCallback(() => {
    changed();
    void queries.invalidateQueries({ queryKey: ['draft', project.id] });
  }, [changed, queries, project.id]);
  const [model, setModel] = useState(start?.model);
  const { data: models = noModels } = useQuery(modelsQuery);
  const turns = useTurns({ projectId: project.id, conversation, model, onFile, onChanged });
  const { undo, undoable } = useUndo(project.id, onChanged);

  const isStarted = useRef(false);
  useEffect(() => {
    if (start === undefined || isStarted.current) return;
    isStarted.current = true;
    void turns.send(start.prompt);
  }, [start, turns.send]);

  function select(element: Selected) {
    setSelected(element);
    if (element.image === undefined) setPane('chat');
    else setLibrary({ replaces: element });
  }
  function choose(picture: Picture) {
    setLibrary(null);
    if (library?.replaces == null) return attached.attach(picture);
    setSelected(null);
    void turns.send(`${partOf(library.replaces)}\n${texts.pictures.replaceMessage}`, [picture]);
  }
  function showChanges(revisionId: string | undefined) {
    setCompared(revisionId);
    setTab('files');
    setPane('site');
  }

  return (
    <div className="builder" data-pane={pane}>
      <BuilderBar
        project={project}
        brand={visitor.brand}
        pane={pane}
        onPane={setPane}
        onPublish={() => {
          setTab('publish');
          setPane('site');
        }}
      />
      <main className="builder-main">
        <h1 className="visually-hidden">{texts.title({ name: project.name })}</h1>
        <Chat
          projectId={project.id}
          turns={turns}
          attached={attached}
          onLibrary={() => setLibrary({ replaces: null })}
          hasFiles={hasFiles}
          selected={selected}
          onForget={() => setSelected(null)}
          onUndo={undo}
          undoable={undoable}
          onShowChanges={(revisionId) => showChanges(revisionId)}
          models={models}
          model={model}
          onModel={setModel}
        />
        <Workspace
          project={project}
          hasFiles={hasFiles}
          hasPreview={hasFiles || hasWritten}
          frame={frame}
          isBusy={turns.isBusy}
          tab={tab}
          onTab={setTab}
          compared={compared}
          onCompare={showChanges}
          onSelect={select}
          onChanged={onChanged}
        />
      </main>
      {library === null ? null : (
        <Suspense fallback={null}>
          <Library
            projectId={project.id}
            isReplacing={library.replaces !== null}
            isBusy={turns.isBusy}
            onChoose={choose}
            onClose={() => setLibrary(null)}
          />
        </Suspense>
      )}
    </div>
  );
}
