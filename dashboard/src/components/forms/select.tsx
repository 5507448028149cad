import { Check, ChevronsUpDown } from 'lucide-react';
import { Select as AriaSelect, Button, FieldError, Label, ListBox, ListBoxItem, Popover, SelectValue, Text } from 'react-aria-components';

export interface Option {
  readonly id: string;
  readonly label: string;
}

interface Props {
  readonly label: string;
  /** Shows the label only to screen readers. */
  readonly labelHidden?: boolean;
  readonly options: readonly Option[];
  readonly name?: string;
  readonly initial?: string;
  readonly value?: string;
  readonly onChange?: (id: string) => void;
  readonly hint?: string;
}

export function Select({ label, labelHidden = false, options, name, initial, value, onChange, hint }: Props) {
  return (
    <AriaSelect
      className="field"
      name={name}
      defaultValue={value === undefined ? initial : undefined}
      value={value}
      onChange={(key) => onChange?.(String(key))}
      aria-label={labelHidden ? label : undefined}
    >
      {labelHidden ? null : <Label>{label}</Label>}
      <Button className="select-button">
        <SelectValue />
        <ChevronsUpDown size={15} aria-hidden />
      </Button>
      {hint === undefined ? null : (
        <Text slot="description" className="hint">
          {hint}
        </Text>
      )}
      <FieldError className="field-error" />
      <Popover className="popover">
        <ListBox items={options}>
          {(option) => (
            <ListBoxItem id={option.id} className="option" textValue={option.label}>
              {({ isSelected }) => (
                <>
                  <span>{option.label}</span>
                  {isSelected ? <Check size={15} aria-hidden /> : null}
                </>
              )}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </AriaSelect>
  );
}
