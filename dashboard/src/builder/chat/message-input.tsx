import { ArrowUp, Square, X } from 'lucide-react';
import { type ClipboardEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { Button, TextArea, TextField } from 'react-aria-components';
import type { Selected } from '../preview/preview-frame.ts';
import { texts } from '../texts.ts';
import { AddPicture, Pictures } from './pictures.tsx';
import { usePictures } from './use-pictures.ts';
import type { useTurns } from './use-turns.ts';

const t = texts.chat;
const maxLength = 32_000;

interface Props {
  readonly turns: ReturnType<typeof useTurns>;
  readonly suggestion: { readonly text: string } | null;
  readonly selected: Selected | null;
  readonly onForget: () => void;
  readonly takesImages: boolean;
}

/** Where the message is written. Enter sends it, Shift and Enter begin a new line. */
export function MessageInput({ turns, suggestion, selected, onForget, takesImages }: Props) {
  const { refusal, isBusy } = turns;
  const [text, setText] = useState('');
  const { pictures, problem, isFull, add, remove, take } = usePictures();
  const input = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (refusal !== null && refusal.text !== '') setText((now) => (now === '' ? refusal.text : `${refusal.text}\n${now}`));
  }, [refusal]);
  useEffect(() => {
    if (selected !== null) input.current?.focus();
  }, [selected]);

  useEffect(() => {
    if (suggestion === null) return;
    setText(suggestion.text);
    input.current?.focus();
  }, [suggestion]);

  function submit() {
    const message = text.trim();
    if (message === '' || isBusy) return;
    setText('');
    onForget();
    void turns.send(selected === null ? message : `${partOf(selected)}\n${message}`, take());
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    submit();
  }

  function onPaste({ clipboardData }: ClipboardEvent) {
    if (takesImages && clipboardData.files.length > 0) add([...clipboardData.files]);
  }

  return (
    <form
      className="message-input"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
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
      {pictures.length === 0 ? null : <Pictures pictures={pictures} onRemove={remove} />}
      {problem === null ? null : (
        <p className="notice warn" role="alert">
          {problem}
        </p>
      )}
      <TextField aria-label={t.input} value={text} onChange={setText} maxLength={maxLength}>
        <TextArea ref={input} className="input" rows={2} placeholder={t.placeholder} onKeyDown={onKeyDown} onPaste={onPaste} />
      </TextField>
      <div className="message-actions">
        {takesImages ? <AddPicture onAdd={add} isDisabled={isFull} /> : null}
        {isBusy ? (
          <Button className="button icon" aria-label={t.stop} onPress={() => void turns.stop().catch(() => undefined)}>
            <Square size={13} aria-hidden />
          </Button>
        ) : (
          <Button className="button icon primary" type="submit" aria-label={t.send} isDisabled={text.trim() === ''}>
            <ArrowUp size={16} aria-hidden />
          </Button>
        )}
      </div>
    </form>
  );
}

/** What was pointed at, on a line of its own before the message: engines then read the message as it was written. */
const partOf = ({ selector, text }: Selected) => (text === '' ? `[${selector}]` : `[${selector} “${text}”]`);
