import type { ReactNode } from 'react';
import { Button } from 'react-aria-components';
import { texts } from '../../texts.ts';
import { Snippet } from '../content/snippet.tsx';
import { Modal } from './modal.tsx';

interface Props {
  readonly title: string;
  readonly text: string;
  readonly label: string;
  /** Undefined closes the dialog. */
  readonly secret: string | undefined;
  readonly onClose: () => void;
  readonly children?: ReactNode;
}

/** Shows a secret once. Only its button closes the dialog. */
export function SecretModal({ title, text, label, secret, onClose, children }: Props) {
  return (
    <Modal title={title} text={text} isOpen={secret !== undefined} onOpenChange={onClose} isDismissable={false}>
      <Snippet text={secret ?? ''} label={label} />
      {children}
      <div className="actions end">
        <Button className="button primary" onPress={onClose}>
          {texts.actions.done}
        </Button>
      </div>
    </Modal>
  );
}
