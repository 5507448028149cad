import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { answer, api, tagged } from '../api/client.ts';
import { Problem } from '../api/problem.ts';
import { Loaded } from '../components/loaded.tsx';
import { Page } from '../components/page.tsx';
import { texts } from '../texts.ts';
import { OrganizationForm, type Wanted } from './organization-form.tsx';

const own = texts.organization;

export function OrganizationPage() {
  const query = useQuery({
    queryKey: ['organization'],
    queryFn: () => tagged(api.GET('/account/organization')),
    refetchOnWindowFocus: false,
  });
  const queries = useQueryClient();
  const [isSaved, setSaved] = useState(false);

  async function save(body: Wanted, etag: string) {
    setSaved(false);
    try {
      await answer(api.PATCH('/account/organization', { params: { header: { 'If-Match': etag } }, body }));
    } catch (error) {
      if (Problem.of(error).status !== 412) throw error;
      await query.refetch();
      throw error;
    }
    // What is filled in from now on is filled in on what was saved: it is shown first.
    await Promise.all([query.refetch(), queries.invalidateQueries({ queryKey: ['session'] })]);
    setSaved(true);
  }

  return (
    <Page title={own.title} text={own.text}>
      <Loaded query={query}>
        {({ body: { organization }, etag }) => (
          <OrganizationForm organization={organization} etag={etag} save={(wanted) => save(wanted, etag)} isSaved={isSaved} />
        )}
      </Loaded>
    </Page>
  );
}
