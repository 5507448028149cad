import { Button } from 'react-aria-components';
import { texts } from '../texts.ts';
import type { useTyping } from './use-typing.ts';

const t = texts.preview.typing;

/** The page whose texts are typed over, and what became of the last one. */
export function TypingBar({ typing }: { typing: ReturnType<typeof useTyping> }) {
  const { page, pages, show, isSaving, hasSaved, problem, undo, stop } = typing;
  return (
    <div className="typing-bar">
      <select className="input" aria-label={t.page} value={page} onChange={({ currentTarget }) => show(currentTarget.value)}>
        {pages.map((path) => (
          <option key={path}>{path}</option>
        ))}
      </select>
      <p className="soft small" role="status">
        {isSaving ? t.saving : (problem ?? (hasSaved ? t.saved : t.hint))}
      </p>
      {undo === undefined ? null : (
        <Button className="button compact quiet" onPress={undo} isDisabled={isSaving}>
          {t.undo}
        </Button>
      )}
      <Button className="button compact" onPress={stop}>
        {t.done}
      </Button>
    </div>
  );
}
