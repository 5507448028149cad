import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { answer, api, tagged } from '../api/client.ts';
import { Problem } from '../api/problem.ts';
import { ActionForm } from '../components/action-form.tsx';
import { Card } from '../components/card.tsx';
import { Field } from '../components/field.tsx';
import type { FilledForm } from '../components/filled-form.ts';
import { Loaded } from '../components/loaded.tsx';
import { Page } from '../components/page.tsx';
import { texts } from '../texts.ts';

const own = texts.organization;

export function OrganizationPage() {
  const query = useQuery({
    queryKey: ['organization'],
    queryFn: () => tagged(api.GET('/account/organization')),
    refetchOnWindowFocus: false,
  });
  const queries = useQueryClient();
  const [isSaved, setSaved] = useState(false);

  async function save(filled: FilledForm, etag: string) {
    setSaved(false);
    const body = { name: filled.text('name') };
    try {
      await answer(api.PATCH('/account/organization', { params: { header: { 'If-Match': etag } }, body }));
      setSaved(true);
      await queries.invalidateQueries({ queryKey: ['session'] });
    } catch (error) {
      if (Problem.of(error).status !== 412) throw error;
      await query.refetch();
      throw error;
    }
    await query.refetch();
  }

  return (
    <Page title={own.title} text={own.text}>
      <Card padded>
        <Loaded query={query}>
          {({ body: { organization }, etag }) => (
            <div className="settings">
              <ActionForm action={(filled) => save(filled, etag)} submit={texts.actions.save}>
                <div className="form" key={etag}>
                  <Field label={own.name} name="name" defaultValue={organization.name} maxLength={200} isRequired />
                  {isSaved ? (
                    <p className="notice good" role="status">
                      {own.saved}
                    </p>
                  ) : null}
                </div>
              </ActionForm>
            </div>
          )}
        </Loaded>
      </Card>
    </Page>
  );
}
