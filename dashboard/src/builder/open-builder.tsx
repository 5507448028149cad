import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { BuilderBar } from './builder-bar.tsx';
import { Chat } from './chat/chat.tsx';
import type { Conversation } from './chat/turn-message.ts';
import { useTurns } from './chat/use-turns.ts';
import { useUndo } from './history/use-undo.ts';
import type { Selected } from './preview/preview-frame.ts';
import { useLivePreview } from './preview/use-live-preview.ts';
import { type ChatModels, modelsQuery, type Project, type Visitor } from './queries.ts';
import { takeStart } from './start.ts';
import { texts } from './texts.ts';
import { Workspace, type WorkTab } from './workspace.tsx';

interface Props {
  readonly project: Project;
  readonly visitor: Visitor;
  readonly conversation: Conversation;
  readonly hasFiles: boolean;
}

const noModels: ChatModels = { models: [], default_model: null };

/** Chat and workspace of one project. What was said so far is read once, when it opens. */
export function OpenBuilder({ project, visitor, conversation, hasFiles }: Props) {
  const queries = useQueryClient();
  const { frame, changed } = useLivePreview();
  const [start] = useState(() => (conversation.messages.length === 0 ? takeStart(project.id, visitor.prompt) : undefined));
  const [selected, setSelected] = useState<Selected | null>(null);
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
    setPane('chat');
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
          turns={turns}
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
          tab={tab}
          onTab={setTab}
          compared={compared}
          onCompare={showChanges}
          onSelect={select}
          onChanged={onChanged}
        />
      </main>
    </div>
  );
}
