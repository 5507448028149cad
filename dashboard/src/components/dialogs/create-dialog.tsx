import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ActionForm } from '../forms/action-form.tsx';
import type { FormValues } from '../forms/form-values.ts';
import { DialogButton } from './dialog-button.tsx';

interface Props<T> {
  readonly label: string;
  readonly variant?: string;
  readonly text?: string;
  readonly submit?: string;
  /** The first part of the query keys to invalidate afterwards. */
  readonly area: string;
  readonly create: (values: FormValues) => Promise<T>;
  readonly onCreated?: (created: T) => void;
  readonly children: ReactNode;
}

/** A button that opens a form for a new record. */
export function CreateDialog<T>({ label, variant = 'primary', text, submit = label, area, create, onCreated, children }: Props<T>) {
  const queryClient = useQueryClient();
  return (
    <DialogButton label={label} variant={variant} title={label} {...(text === undefined ? {} : { text })}>
      {(close) => (
        <ActionForm
          action={async (values) => {
            const created = await create(values);
            void queryClient.invalidateQueries({ queryKey: [area] });
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
