import { useEffect, useRef, useState } from 'react';
import { Button, type DropItem, DropZone } from 'react-aria-components';
import type { useAttachments } from '../pictures/use-attachments.ts';
import type { Selected } from '../preview/preview-frame.ts';
import type { ChatModels } from '../queries.ts';
import { texts } from '../texts.ts';
import { Message } from './message.tsx';
import { MessageInput } from './message-input.tsx';
import { ModelLine } from './model-line.tsx';
import { Notices } from './notices.tsx';
import { filesOf, type TurnMessage } from './turn-message.ts';
import type { useTurns } from './use-turns.ts';

const secondMs = 1000;

/** What is being done, and for how long. The seconds are not announced: they would interrupt each other. */
function Working({ message }: { message: TurnMessage | undefined }) {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const since = Date.now();
    const timer = setInterval(() => setSeconds(Math.floor((Date.now() - since) / secondMs)), secondMs);
    return () => clearInterval(timer);
  }, []);
  const file = message?.role === 'assistant' ? filesOf(message).at(-1) : undefined;
  return (
    <div className="working">
      <span className="working-mark" aria-hidden />
      <span role="status">{file === undefined ? texts.chat.thinking : texts.chat.writing({ path: file.path })}</span>
      <span className="soft number" aria-hidden>
        {texts.chat.seconds({ seconds })}
      </span>
    </div>
  );
}

const t = texts.chat;

interface Props {
  readonly projectId: string;
  readonly turns: ReturnType<typeof useTurns>;
  readonly attached: ReturnType<typeof useAttachments>;
  readonly onLibrary: () => void;
  /** There is a site to change. */
  readonly hasFiles: boolean;
  readonly selected: Selected | null;
  readonly onForget: () => void;
  readonly onUndo: (revisionId: string) => Promise<void>;
  readonly undoable: (revisionId: string) => boolean;
  readonly onShowChanges: (revisionId: string) => void;
  readonly models: ChatModels;
  readonly model: string | undefined;
  readonly onModel: (id: string) => void;
}

/** The conversation and its input. */
export function Chat({
  projectId,
  turns,
  attached,
  onLibrary,
  hasFiles,
  selected,
  onForget,
  onUndo,
  undoable,
  onShowChanges,
  models,
  model,
  onModel,
}: Props) {
  const { messages, isBusy } = turns;
  /** A new object for each choice, so that choosing a suggestion again fills the input again. */
  const [suggestion, setSuggestion] = useState<{ readonly text: string } | null>(null);
  const end = useRef<HTMLDivElement>(null);
  const last = messages.at(-1);
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls whenever something was added
  useEffect(() => {
    end.current?.scrollIntoView({ block: 'end' });
  }, [messages, isBusy]);

  return (
    <section className="chat" aria-label={t.label}>
      <DropZone
        className="chat-drop"
        aria-label={texts.pictures.drop}
        isDisabled={isBusy}
        onDrop={({ items }) => void dropped(items).then(attached.add)}
      >
        <div className="chat-messages" role="log" aria-live="polite" aria-busy={isBusy}>
          {messages.length === 0 && !isBusy ? hasFiles ? <ChangeInvitation /> : <Examples onChoose={turns.send} /> : null}
          {messages.map((message) => (
            <Message
              key={message.id}
              message={message}
              isRunning={isBusy && message === last}
              onUndo={onUndo}
              undoable={undoable}
              onShowChanges={onShowChanges}
              onSuggestion={(text) => setSuggestion({ text })}
            />
          ))}
          {isBusy ? <Working message={last} /> : null}
          <div ref={end} />
        </div>
        <Notices turns={turns} />
        <MessageInput
          turns={turns}
          suggestion={suggestion}
          selected={selected}
          onForget={onForget}
          projectId={projectId}
          attached={attached}
          onLibrary={onLibrary}
        />
        <ModelLine models={models} model={model} onModel={onModel} balance={turns.balance} />
      </DropZone>
    </section>
  );
}

/** The files of what was dropped; folders have none here. */
const dropped = (items: readonly DropItem[]): Promise<File[]> =>
  Promise.all(items.flatMap((item) => (item.kind === 'file' ? [item.getFile()] : [])));

const ChangeInvitation = () => (
  <div className="examples">
    <h2>{t.changeTitle}</h2>
    <p className="soft">{t.changeText}</p>
  </div>
);

function Examples({ onChoose }: { onChoose: (prompt: string) => Promise<void> }) {
  return (
    <div className="examples">
      <h2>{t.emptyTitle}</h2>
      <p className="soft">{t.emptyText}</p>
      <ul>
        {t.examples.map((prompt) => (
          <li key={prompt}>
            <Button className="example" onPress={() => void onChoose(prompt)}>
              {prompt}
            </Button>
          </li>
        ))}
      </ul>
    </div>
  );
}
