import type { ReactNode } from 'react';
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';

interface Props {
  readonly title: string;
  readonly text?: string | undefined;
  readonly isOpen: boolean;
  readonly onOpenChange: (isOpen: boolean) => void;
  /** Escape and clicks beside it do not close it: what it shows is shown once. */
  readonly stays?: boolean;
  readonly children: ReactNode;
}

/** A dialog above the page. */
export function Window({ title, text, isOpen, onOpenChange, stays = false, children }: Props) {
  return (
    <ModalOverlay className="veil" isOpen={isOpen} onOpenChange={onOpenChange} isDismissable={!stays} isKeyboardDismissDisabled={stays}>
      <Modal className="modal">
        <Dialog className="dialog">
          <div className="dialog-header">
            <Heading slot="title" level={2}>
              {title}
            </Heading>
            {text === undefined ? null : <p className="soft small">{text}</p>}
          </div>
          {children}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
