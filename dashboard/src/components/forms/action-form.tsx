import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Button, Form } from 'react-aria-components';
import { Problem } from '../api/problem.ts';
import { texts } from '../texts.ts';
import { FilledForm } from './filled-form.ts';
import { ProblemNotice } from './notice.tsx';

interface Props {
  /** Does what the form is for; what it throws is shown, at the fields that it names. */
  readonly action: (filled: FilledForm) => Promise<unknown>;
  readonly submit: string;
  readonly children: ReactNode;
  readonly onCancel?: () => void;
  readonly look?: 'primary' | 'danger';
  /** The button is as wide as the form. */
  readonly wide?: boolean;
}

/** A form that does one thing. */
export function ActionForm({ action, submit, children, onCancel, look = 'primary', wide = false }: Props) {
  const { mutate, isPending, error, reset } = useMutation({ mutationFn: action });
  const fields = error === null ? {} : Problem.of(error).fields;
  const named = Object.keys(fields).some((name) => name !== '');
  return (
    <Form
      className="form"
      validationErrors={fields}
      // What was refused goes as one corrects it: going later, it would take the button away from under the click.
      render={(form) => <form {...form} onInput={error === null ? undefined : reset} />}
      onSubmit={(event) => {
        event.preventDefault();
        mutate(new FilledForm(event.currentTarget));
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
        <Button type="submit" className={`button ${look} ${wide ? 'wide' : ''}`} isPending={isPending}>
          {submit}
        </Button>
      </div>
    </Form>
  );
}
