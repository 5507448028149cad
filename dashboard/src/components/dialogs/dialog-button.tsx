import type { ReactNode } from 'react';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { Modal } from './modal.tsx';

interface Props {
  readonly label: ReactNode;
  readonly variant?: string;
  readonly title: string;
  readonly text?: string;
  readonly children: (close: () => void) => ReactNode;
}

export function DialogButton({ label, variant = '', title, text, children }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button className={`button ${variant}`} onPress={() => setOpen(true)}>
        {label}
      </Button>
      <Modal title={title} text={text} isOpen={isOpen} onOpenChange={setOpen}>
        {children(() => setOpen(false))}
      </Modal>
    </>
  );
}
