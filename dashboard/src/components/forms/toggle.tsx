import type { ReactNode } from 'react';
import { Switch, type SwitchProps } from 'react-aria-components';

export function Toggle({ children, ...props }: Omit<SwitchProps, 'children' | 'className'> & { children: ReactNode }) {
  return (
    <Switch className="switch" {...props}>
      <span className="track" />
      <span>{children}</span>
    </Switch>
  );
}
