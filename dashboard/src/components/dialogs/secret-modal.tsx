import type { ReactNode } from 'react';
import { Button } from 'react-aria-components';
import { texts } from '../texts.ts';
import { Snippet } from './snippet.tsx';
import { Window } from './window.tsx';

interface Props {
  readonly title: string;
  readonly text: string;
  readonly label: string;
  /** Undefined: the window is closed. */
  readonly secret: string | undefined;
  readonly onClose: () => void;
  readonly children?: ReactNode;
}

/** Shows a secret, this once: it stays until it is put away on purpose. */
export function SecretWindow({ title, text, label, secret, onClose, children }: Props) {
  return (
    <Window title={title} text={text} isOpen={secret !== undefined} onOpenChange={onClose} stays>
      <Snippet text={secret ?? ''} label={label} />
      {children}
      <div className="actions end">
        <Button className="button primary" onPress={onClose}>
          {texts.actions.done}
        </Button>
      </div>
    </Window>
  );
}
