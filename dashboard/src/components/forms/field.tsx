import type { ReactNode } from 'react';
import { FieldError, Input, Label, Text, TextArea, TextField, type TextFieldProps } from 'react-aria-components';

interface Props extends Omit<TextFieldProps, 'children' | 'className'> {
  readonly label: string;
  readonly name: string;
  readonly hint?: ReactNode;
  readonly placeholder?: string;
  readonly lines?: 'one' | 'many';
}

/** A text input or text area with its label, hint and error. */
export function Field({ label, hint, placeholder, lines = 'one', ...props }: Props) {
  return (
    <TextField className="field" {...props}>
      <Label>{label}</Label>
      {lines === 'many' ? <TextArea className="input" placeholder={placeholder} /> : <Input className="input" placeholder={placeholder} />}
      {hint === undefined ? null : (
        <Text slot="description" className="hint">
          {hint}
        </Text>
      )}
      <FieldError className="field-error" />
    </TextField>
  );
}
