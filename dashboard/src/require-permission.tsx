import type { ReactNode } from 'react';
import { type Permission, usePermission } from './api/permissions.ts';
import { EmptyState } from './components/feedback/empty-state.tsx';
import { Card } from './components/layout/card.tsx';
import { Page } from './components/layout/page.tsx';
import { texts } from './texts.ts';

interface Props {
  readonly permission: Permission;
  readonly title: string;
  readonly children: ReactNode;
}

/** A page for roles with a permission. Others are told whom to ask; nothing is requested for them. */
export function RequirePermission({ permission, title, children }: Props) {
  if (usePermission(permission)) return children;
  return (
    <Page title={title}>
      <Card>
        <EmptyState title={texts.problem.notAllowed} text={texts.problem.notAllowedText} />
      </Card>
    </Page>
  );
}
