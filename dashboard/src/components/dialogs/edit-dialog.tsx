import { type UseQueryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Problem } from '../api/problem.ts';
import { texts } from '../texts.ts';
import { ActionForm } from './action-form.tsx';
import { DialogButton } from './dialog-button.tsx';
import type { FilledForm } from './filled-form.ts';
import { Loaded } from './loaded.tsx';

interface Tagged<T> {
  readonly body: T;
  readonly etag: string;
}

interface Props<T> {
  readonly label?: string;
  readonly look?: string;
  readonly title: string;
  readonly text?: string;
  /** The record as it is now, with its ETag. */
  readonly record: UseQueryOptions<Tagged<T>, Error, Tagged<T>, string[]>;
  /** Changes just that state. */
  readonly save: (filled: FilledForm, etag: string) => Promise<unknown>;
  readonly children: (record: T) => ReactNode;
}

/** A button that opens the fields of a record; what somebody else changed meanwhile is never overwritten. */
export function EditDialog<T>({ label = texts.actions.edit, look = '', title, text, ...fields }: Props<T>) {
  return (
    <DialogButton label={label} look={look} title={title} {...(text === undefined ? {} : { text })}>
      {(close) => <EditForm {...fields} close={close} />}
    </DialogButton>
  );
}

type FormProps<T> = Pick<Props<T>, 'record' | 'save' | 'children'> & { close: () => void };

function EditForm<T>({ record, save, children, close }: FormProps<T>) {
  const query = useQuery({ ...record, staleTime: 0, refetchOnWindowFocus: false });
  const queries = useQueryClient();
  const [area] = record.queryKey ?? [];

  async function act(filled: FilledForm, etag: string) {
    try {
      await save(filled, etag);
      close();
    } catch (error) {
      // The next attempt is made on what is there now: its fields are shown afresh.
      if (Problem.of(error).status === 412) await query.refetch();
      throw error;
    } finally {
      void queries.invalidateQueries({ queryKey: [area] });
    }
  }

  return (
    <Loaded query={query}>
      {({ body, etag }) => (
        <ActionForm action={(filled) => act(filled, etag)} submit={texts.actions.save} onCancel={close}>
          <div className="form" key={etag}>
            {children(body)}
          </div>
        </ActionForm>
      )}
    </Loaded>
  );
}
