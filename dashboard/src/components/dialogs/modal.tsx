import type { ReactNode } from 'react';
import { Modal as AriaModal, Dialog, Heading, ModalOverlay } from 'react-aria-components';

interface Props {
  readonly title: string;
  readonly text?: string | undefined;
  readonly isOpen: boolean;
  readonly onOpenChange: (isOpen: boolean) => void;
  /** False: Escape and clicks outside do not close it. */
  readonly isDismissable?: boolean;
  readonly isWide?: boolean;
  readonly children: ReactNode;
}

export function Modal({ title, text, isOpen, onOpenChange, isDismissable = true, isWide = false, children }: Props) {
  return (
    <ModalOverlay
      className="overlay"
      isOpen={isOpen}
      onOpenChange={onOpenChange}
      isDismissable={isDismissable}
      isKeyboardDismissDisabled={!isDismissable}
    >
      <AriaModal className={isWide ? 'modal wide' : 'modal'}>
        <Dialog className="dialog">
          <div className="dialog-header">
            <Heading slot="title" level={2}>
              {title}
            </Heading>
            {text === undefined ? null : <p className="soft small">{text}</p>}
          </div>
          {children}
        </Dialog>
      </AriaModal>
    </ModalOverlay>
  );
}
