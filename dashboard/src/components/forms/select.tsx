import { Check, ChevronsUpDown } from 'lucide-react';
import type { ComponentType } from 'react';
import { Select as AriaSelect, Button, FieldError, Label, ListBox, ListBoxItem, Popover, SelectValue, Text } from 'react-aria-components';

export interface Option {
  readonly id: string;
  readonly label: string;
}

export interface ListProps {
  readonly options: readonly Option[];
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
  readonly isDisabled?: boolean;
  /** What shows the options. */
  readonly list?: ComponentType<ListProps>;
}

export function Select({ label, labelHidden = false, options, name, initial, value, onChange, hint, ...props }: Props) {
  const { isDisabled = false, list: List = Options } = props;
  return (
    <AriaSelect
      className="field"
      name={name}
      defaultValue={value === undefined ? initial : undefined}
      value={value}
      onChange={(key) => onChange?.(String(key))}
      aria-label={labelHidden ? label : undefined}
      isDisabled={isDisabled}
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
        <List options={options} />
      </Popover>
    </AriaSelect>
  );
}

export const Options = ({ options }: ListProps) => (
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
);
