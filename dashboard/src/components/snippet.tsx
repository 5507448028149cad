import { texts } from '../texts.ts';
import { CopyButton } from './copy-button.tsx';

/** Text to copy: a request, or a secret. */
export function Snippet({ text, label = texts.snippet }: { text: string; label?: string }) {
  return (
    <div className="snippet">
      <section aria-label={label}>
        <pre>{text}</pre>
      </section>
      <CopyButton text={text} />
    </div>
  );
}
