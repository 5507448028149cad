import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Button, Form } from 'react-aria-components';
import { Problem } from '../../api/problem.ts';
import { texts } from '../../texts.ts';
import { ProblemNotice } from '../feedback/problem-notice.tsx';
import { FormValues } from './form-values.ts';

interface Props {
  /** Runs on submit. What it throws is shown at the fields that the error names, else above the buttons. */
  readonly action: (values: FormValues) => Promise<unknown>;
  readonly submit: string;
  readonly children: ReactNode;
  readonly onCancel?: () => void;
  readonly variant?: 'primary' | 'danger';
  /** Stretches the submit button to the form's width. */
  readonly wide?: boolean;
}

/** A form with one action. */
export function ActionForm({ action, submit, children, onCancel, variant = 'primary', wide = false }: Props) {
  const { mutate, isPending, error, reset } = useMutation({ mutationFn: action });
  const fields = error === null ? {} : Problem.of(error).fields;
  const named = Object.keys(fields).some((name) => name !== '');
  return (
    <Form
      className="form"
      validationErrors={fields}
      // Clears the error on input. Clearing it on submit would move the button away under the pointer.
      render={(form) => <form {...form} onInput={error === null ? undefined : reset} />}
      onSubmit={(event) => {
        event.preventDefault();
        mutate(new FormValues(event.currentTarget));
      }}
    >
      {children}
      {named ? null : <ProblemNotice error={error} />}
      <div className="actions end">
        {onCancel === undefined ? null : (
          <Button className="button" onPress={onCancel}>
            {texts.actions.cancel}
          </Button>
        )}
        <Button type="submit" className={`button ${variant} ${wide ? 'wide' : ''}`} isPending={isPending}>
          {submit}
        </Button>
      </div>
    </Form>
  );
}
