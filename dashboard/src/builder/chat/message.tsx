import { Undo2 } from 'lucide-react';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { Problem } from '../../api/problem.ts';
import { texts } from '../texts.ts';
import { Markdown } from './markdown.tsx';
import { filesOf, type TurnMessage, textOf } from './turn-message.ts';

const t = texts.chat;

interface Props {
  readonly message: TurnMessage;
  readonly isRunning: boolean;
  readonly onUndo: (revisionId: string) => Promise<void>;
  readonly undoable: (revisionId: string) => boolean;
  readonly onShowChanges: (revisionId: string) => void;
  readonly onSuggestion: (text: string) => void;
}

/** One message: the user's, or what was done about it, with its files and a way back. */
export function Message({ message, isRunning, onUndo, undoable, onShowChanges, onSuggestion }: Props) {
  const { state, revision_id } = message.metadata ?? {};
  const text = textOf(message);
  const isUser = message.role === 'user';
  const ending = isUser || state === undefined || state === 'running' || state === 'done' ? undefined : t.endings[state];
  const files = ending === undefined ? filesOf(message) : [];
  if (!isUser && isRunning && text === '') return null;
  return (
    <article className={`message ${isUser ? 'user' : 'assistant'}`} aria-label={isUser ? t.you : t.assistant}>
      {text === '' ? null : isUser ? (
        <p className="message-text">{text}</p>
      ) : (
        <div className="message-text">
          <Markdown text={text} onSuggestion={onSuggestion} />
        </div>
      )}
      {ending === undefined ? null : (
        <p className="notice warn">
          <strong>{ending.mark}</strong>
          <span>{ending.text}</span>
        </p>
      )}
      {revision_id == null || isUser ? null : (
        <div className="actions">
          <Button className="button compact quiet" onPress={() => onShowChanges(revision_id)}>
            {t.changes({ count: files.length })}
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
