import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { texts } from '../../texts.ts';

/** Text with a copy button. */
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

const shownMs = 2000;

export function CopyButton({ text, label = texts.actions.copy }: { text: string; label?: string }) {
  const [copied, setCopied] = useState(false);
  async function copy() {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), shownMs);
  }
  return (
    <Button className="button compact" onPress={() => void copy()}>
      {copied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
      <span aria-live="polite">{copied ? texts.actions.copied : label}</span>
    </Button>
  );
}
