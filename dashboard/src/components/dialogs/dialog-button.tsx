import type { ReactNode } from 'react';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { Window } from './window.tsx';

interface Props {
  readonly label: ReactNode;
  readonly look?: string;
  readonly title: string;
  readonly text?: string;
  readonly children: (close: () => void) => ReactNode;
}

/** A button that opens a dialog. */
export function DialogButton({ label, look = '', title, text, children }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button className={`button ${look}`} onPress={() => setOpen(true)}>
        {label}
      </Button>
      <Window title={title} text={text} isOpen={isOpen} onOpenChange={setOpen}>
        {children(() => setOpen(false))}
      </Window>
    </>
  );
}
