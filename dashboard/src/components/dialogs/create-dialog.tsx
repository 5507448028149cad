import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ActionForm } from './action-form.tsx';
import { DialogButton } from './dialog-button.tsx';
import type { FilledForm } from './filled-form.ts';

interface Props<T> {
  readonly label: string;
  readonly look?: string;
  readonly text?: string;
  readonly submit?: string;
  /** What is read again afterwards. */
  readonly area: string;
  readonly create: (filled: FilledForm) => Promise<T>;
  readonly onCreated?: (created: T) => void;
  readonly children: ReactNode;
}

/** A button that opens the fields of a new record. */
export function CreateDialog<T>({ label, look = 'primary', text, submit = label, area, create, onCreated, children }: Props<T>) {
  const queries = useQueryClient();
  return (
    <DialogButton label={label} look={look} title={label} {...(text === undefined ? {} : { text })}>
      {(close) => (
        <ActionForm
          action={async (filled) => {
            const created = await create(filled);
            void queries.invalidateQueries({ queryKey: [area] });
            close();
            onCreated?.(created);
          }}
          submit={submit}
          onCancel={close}
        >
          {children}
        </ActionForm>
      )}
    </DialogButton>
  );
}
