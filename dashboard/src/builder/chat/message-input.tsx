import { ArrowUp, Square, X } from 'lucide-react';
import { type ClipboardEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { Button, TextArea, TextField } from 'react-aria-components';
import { AddPicture, Attachments } from '../pictures/attachments.tsx';
import type { useAttachments } from '../pictures/use-attachments.ts';
import { partOf, type Selected } from '../preview/preview-frame.ts';
import { texts } from '../texts.ts';
import type { useTurns } from './use-turns.ts';

const t = texts.chat;
const maxLength = 32_000;

interface Props {
  readonly turns: ReturnType<typeof useTurns>;
  readonly suggestion: { readonly text: string } | null;
  readonly selected: Selected | null;
  readonly onForget: () => void;
  readonly projectId: string;
  readonly attached: ReturnType<typeof useAttachments>;
  readonly onLibrary: () => void;
}

/** Where the message is written. Enter sends it, or has it wait for the answer; Shift and Enter begin a new line. */
export function MessageInput({ turns, suggestion, selected, onForget, projectId, attached, onLibrary }: Props) {
  const { refusal, isBusy } = turns;
  const [text, setText] = useState('');
  /** Enter was pressed before the message could be sent. Whatever changes it afterwards holds it back. */
  const [isWaiting, setWaiting] = useState(false);
  const { attachments, problem, isFull, isPending, add, take } = attached;
  const input = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (refusal === null || refusal.text === '') return;
    setText((now) => (now === '' ? refusal.text : `${refusal.text}\n${now}`));
    setWaiting(false);
  }, [refusal]);
  useEffect(() => {
    if (selected !== null) input.current?.focus();
  }, [selected]);

  useEffect(() => {
    if (suggestion === null) return;
    setText(suggestion.text);
    setWaiting(false);
    input.current?.focus();
  }, [suggestion]);

  const isEmpty = text.trim() === '';
  const canSend = !isEmpty && !isBusy && !isPending;
  async function submit() {
    const message = text.trim();
    setWaiting(!canSend && !isEmpty);
    if (!canSend) return;
    setText('');
    onForget();
    await turns.send(selected === null ? message : `${partOf(selected)}\n${message}`, await take());
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: sends once, when nothing holds it up any more
  useEffect(() => {
    if (isWaiting && canSend) void submit();
  }, [isWaiting, canSend]);

  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    void submit();
  }

  function onPaste(event: ClipboardEvent) {
    const { clipboardData } = event;
    if (clipboardData.files.length === 0 || isBusy) return;
    event.preventDefault();
    add([...clipboardData.files]);
  }

  return (
    <form
      className="message-input"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      {selected === null ? null : (
        <span className="chip">
          <span>
            {t.about} <code>{selected.selector.split(' > ').at(-1)}</code> {selected.text}
          </span>
          <Button className="button icon quiet" aria-label={t.forget} onPress={onForget}>
            <X size={13} aria-hidden />
          </Button>
        </span>
      )}
      {attachments.length === 0 ? null : <Attachments projectId={projectId} attached={attached} />}
      {problem === null ? null : (
        <p className="notice warn" role="alert">
          {problem}
        </p>
      )}
      {isWaiting && isBusy ? (
        <p className="message-waits soft small" role="status">
          {t.waiting}
        </p>
      ) : null}
      <TextField
        aria-label={t.input}
        value={text}
        onChange={(value) => {
          setText(value);
          setWaiting(false);
        }}
        maxLength={maxLength}
      >
        <TextArea ref={input} className="input" rows={2} placeholder={t.placeholder} onKeyDown={onKeyDown} onPaste={onPaste} />
      </TextField>
      <div className="message-actions">
        <AddPicture onAdd={add} onOpen={onLibrary} isDisabled={isFull || isBusy} />
        {isBusy ? (
          <Button className="button icon" aria-label={t.stop} onPress={() => void turns.stop().catch(() => undefined)}>
            <Square size={13} aria-hidden />
          </Button>
        ) : (
          <Button className="button icon primary" type="submit" aria-label={t.send} isDisabled={!canSend}>
            <ArrowUp size={16} aria-hidden />
          </Button>
        )}
      </div>
    </form>
  );
}
