import { useMutation } from '@tanstack/react-query';
import type { MouseEvent, ReactNode } from 'react';
import { Button, Form } from 'react-aria-components';
import { Problem } from '../../api/problem.ts';
import { texts } from '../../texts.ts';
import { ProblemNotice } from '../feedback/problem-notice.tsx';
import { FormValues } from './form-values.ts';

interface Props {
  /** Runs on submit. What it throws is shown at the fields that the error names, else above the buttons. */
  readonly action: (values: FormValues) => Promise<unknown>;
  readonly submit: string;
  readonly children?: ReactNode;
  readonly onCancel?: () => void;
  readonly variant?: 'primary' | 'danger';
  /** Stretches the submit button to the form's width. */
  readonly wide?: boolean;
}

/** Errors go as soon as the input is valid. A field otherwise checks its value when it loses the focus. */
function revalidate(target: EventTarget): void {
  if (target instanceof Element && target.ariaInvalid === 'true') target.dispatchEvent(new Event('change'));
}

/**
 * Leaves the focus where it is while a button is pressed. A field that loses it checks its value, and an error that
 * comes or goes then moves the button away under the pointer: the press would be lost.
 */
const keepFocus = (event: MouseEvent): void => event.preventDefault();

/** A form with one action. */
export function ActionForm({ action, submit, children, onCancel, variant = 'primary', wide = false }: Props) {
  const { mutate, isPending, error, reset } = useMutation({ mutationFn: action });
  const fields = error === null ? {} : Problem.of(error).fields;
  const named = Object.keys(fields).some((name) => name !== '');
  return (
    <Form
      className="form"
      validationErrors={fields}
      render={(form) => (
        <form
          {...form}
          onInput={({ target }) => {
            if (error !== null) reset();
            revalidate(target);
          }}
        />
      )}
      onSubmit={(event) => {
        event.preventDefault();
        mutate(new FormValues(event.currentTarget));
      }}
    >
      {children}
      {named ? null : <ProblemNotice error={error} />}
      <div className="actions end" onMouseDownCapture={keepFocus}>
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
