import { type UseQueryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Problem } from '../../api/problem.ts';
import { texts } from '../../texts.ts';
import { QueryBoundary } from '../feedback/query-boundary.tsx';
import { ActionForm } from '../forms/action-form.tsx';
import type { FormValues } from '../forms/form-values.ts';
import { DialogButton } from './dialog-button.tsx';

interface WithEtag<T> {
  readonly body: T;
  readonly etag: string;
}

interface Props<T> {
  readonly label?: string;
  readonly variant?: string;
  readonly title: string;
  readonly text?: string;
  /** Query of the current record and its ETag. */
  readonly record: UseQueryOptions<WithEtag<T>, Error, WithEtag<T>, string[]>;
  /** Saves the record with the ETag as `If-Match`. */
  readonly save: (values: FormValues, etag: string) => Promise<unknown>;
  readonly children: (record: T) => ReactNode;
}

/** A button that opens a form for a record. It never overwrites a concurrent change. */
export function EditDialog<T>({ label = texts.actions.edit, variant = '', title, text, ...fields }: Props<T>) {
  return (
    <DialogButton label={label} variant={variant} title={title} {...(text === undefined ? {} : { text })}>
      {(close) => <EditForm {...fields} close={close} />}
    </DialogButton>
  );
}

type FormProps<T> = Pick<Props<T>, 'record' | 'save' | 'children'> & { close: () => void };

function EditForm<T>({ record, save, children, close }: FormProps<T>) {
  const query = useQuery({ ...record, staleTime: 0, refetchOnWindowFocus: false });
  const queryClient = useQueryClient();
  const [area] = record.queryKey ?? [];

  async function act(values: FormValues, etag: string) {
    try {
      await save(values, etag);
      close();
    } catch (error) {
      // The record changed meanwhile: reload it, so that the next attempt starts from its current state.
      if (Problem.of(error).status === 412) await query.refetch();
      throw error;
    } finally {
      void queryClient.invalidateQueries({ queryKey: [area] });
    }
  }

  return (
    <QueryBoundary query={query}>
      {({ body, etag }) => (
        <ActionForm action={(values) => act(values, etag)} submit={texts.actions.save} onCancel={close}>
          <div className="form" key={etag}>
            {children(body)}
          </div>
        </ActionForm>
      )}
    </QueryBoundary>
  );
}
