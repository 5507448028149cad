import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, readJson } from '../api/client.ts';
import { Problem } from '../api/problem.ts';
import { organizationQuery } from '../api/records.ts';
import { QueryBoundary } from '../components/feedback/query-boundary.tsx';
import { Page } from '../components/layout/page.tsx';
import { texts } from '../texts.ts';
import { ModelsCard } from './models-card.tsx';
import { type OrganizationChanges, OrganizationForm } from './organization-form.tsx';

const t = texts.organization;

export function OrganizationPage() {
  const query = useQuery(organizationQuery());
  const queryClient = useQueryClient();
  const [isSaved, setSaved] = useState(false);

  async function save(body: OrganizationChanges, etag: string) {
    setSaved(false);
    try {
      await readJson(api.PATCH('/account/organization', { params: { header: { 'If-Match': etag } }, body }));
    } catch (error) {
      if (Problem.of(error).status !== 412) throw error;
      await query.refetch();
      throw error;
    }
    // Show the saved state before further edits are made on it.
    await Promise.all([query.refetch(), queryClient.invalidateQueries({ queryKey: ['session'] })]);
    setSaved(true);
  }

  return (
    <Page title={texts.pages.organization} text={t.text}>
      <QueryBoundary query={query}>
        {({ body: { organization }, etag }) => (
          <>
            <OrganizationForm organization={organization} etag={etag} save={(changes) => save(changes, etag)} isSaved={isSaved} />
            <ModelsCard />
          </>
        )}
      </QueryBoundary>
    </Page>
  );
}
