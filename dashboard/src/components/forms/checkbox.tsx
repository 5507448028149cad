import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import { Checkbox as AriaCheckbox, type CheckboxProps } from 'react-aria-components';

export function Checkbox({ children, ...props }: Omit<CheckboxProps, 'children' | 'className'> & { children: ReactNode }) {
  return (
    <AriaCheckbox className="checkbox" {...props}>
      <span className="box">
        <Check size={13} strokeWidth={3} aria-hidden />
      </span>
      <span>{children}</span>
    </AriaCheckbox>
  );
}
