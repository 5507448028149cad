import { ChevronRight, Undo2 } from 'lucide-react';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { Problem } from '../../api/problem.ts';
import { texts } from '../texts.ts';
import { type ChangedFile, filesOf, type TurnMessage, textOf } from './turn-message.ts';

const t = texts.chat;

interface Props {
  readonly message: TurnMessage;
  readonly isRunning: boolean;
  readonly onUndo: (revisionId: string) => Promise<void>;
  readonly undoable: (revisionId: string) => boolean;
  readonly onShowChanges: (revisionId: string) => void;
}

/** One message: the user's, or what was done about it, with its files and a way back. */
export function Message({ message, isRunning, onUndo, undoable, onShowChanges }: Props) {
  const { state, revision_id } = message.metadata ?? {};
  const text = textOf(message);
  const isUser = message.role === 'user';
  const ending = isUser || state === undefined || state === 'running' || state === 'done' ? undefined : t.endings[state];
  const files = ending === undefined ? filesOf(message) : [];
  if (!isUser && isRunning && text === '') return null;
  return (
    <article className={`message ${isUser ? 'user' : 'assistant'}`} aria-label={isUser ? t.you : t.assistant}>
      {text === '' ? null : <p className="message-text">{text}</p>}
      {ending === undefined ? null : (
        <p className="notice warn">
          <strong>{ending.mark}</strong>
          <span>{ending.text}</span>
        </p>
      )}
      {isRunning || files.length === 0 ? null : <Files files={files} />}
      {revision_id == null || isUser ? null : (
        <div className="actions">
          <Button className="button compact quiet" onPress={() => onShowChanges(revision_id)}>
            {t.changes}
          </Button>
          {undoable(revision_id) ? <Undo onUndo={() => onUndo(revision_id)} /> : null}
        </div>
      )}
    </article>
  );
}

function Undo({ onUndo }: { onUndo: () => Promise<void> }) {
  const [isPending, setPending] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  async function undo() {
    setPending(true);
    await onUndo().catch((error) => setProblem(Problem.of(error).message));
    setPending(false);
  }
  return (
    <>
      <Button className="button compact quiet" isPending={isPending} onPress={() => void undo()}>
        <Undo2 size={14} aria-hidden />
        {t.undo}
      </Button>
      {problem === null ? null : (
        <span className="notice bad" role="alert">
          {problem}
        </span>
      )}
    </>
  );
}

function Files({ files }: { files: readonly ChangedFile[] }) {
  return (
    <details className="message-files">
      <summary>
        <ChevronRight size={14} aria-hidden />
        {t.files(files.length)}
      </summary>
      <ul>
        {files.map(({ path }) => (
          <li key={path}>
            <code>{path}</code>
          </li>
        ))}
      </ul>
    </details>
  );
}
