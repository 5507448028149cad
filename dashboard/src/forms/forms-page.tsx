import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useParams } from 'react-router';
import { CsvButton } from '../analytics/csv-button.tsx';
import { api, table } from '../api/client.ts';
import { useMay } from '../api/may.ts';
import { projectQuery } from '../api/records.ts';
import { Badge } from '../components/badge.tsx';
import { Empty } from '../components/empty.tsx';
import { Moment } from '../components/moment.tsx';
import { Page } from '../components/page.tsx';
import { RecordList } from '../components/record-list.tsx';
import { Toggle } from '../components/toggle.tsx';
import { texts } from '../texts.ts';
import { submissionsQuery } from './form-queries.ts';
import { FormSettings } from './form-settings.tsx';
import { SubmissionActions } from './submission-actions.tsx';

const own = texts.forms;
const limit = 25;

/** What visitors sent by the forms of a project's site. */
export function FormsPage() {
  const { projectId = '' } = useParams();
  const [filter, setFilter] = useState({ spam: 'false', offset: 0 });
  const project = useQuery(projectQuery(projectId)).data?.body.project;
  const query = useQuery(submissionsQuery(projectId, { limit, ...filter }));
  const mayChange = useMay('changeProjects');
  const csv = () =>
    table(
      api.GET('/projects/{projectId}/forms/submissions', {
        params: { path: { projectId }, query: { spam: filter.spam } },
        headers: { Accept: 'text/csv' },
        parseAs: 'text',
      }),
    );

  return (
    <Page
      title={own.title}
      text={own.text}
      back={{ to: `/projects/${projectId}`, label: project?.name ?? texts.projects.title }}
      actions={
        <>
          {mayChange ? <FormSettings projectId={projectId} /> : null}
          <CsvButton filename="submissions.csv" load={csv} />
        </>
      }
    >
      <Toggle isSelected={filter.spam === 'true'} onChange={(spam) => setFilter({ spam: String(spam), offset: 0 })}>
        {own.showSpam}
      </Toggle>
      <RecordList
        label={own.title}
        query={query}
        records={({ submissions }) => submissions}
        pages={{ limit, offset: filter.offset, total: ({ total }) => total, onTurn: (offset) => setFilter({ ...filter, offset }) }}
        empty={<Empty title={own.empty} text={own.emptyText} />}
        columns={[
          {
            name: own.sent,
            cell: ({ fields }) => (
              <dl className="facts">
                {Object.entries(fields).map(([name, value]) => (
                  <div className="fact" key={name}>
                    <dt>{name}</dt>
                    <dd>{[value].flat().join(', ')}</dd>
                  </div>
                ))}
              </dl>
            ),
          },
          { name: own.form, cell: ({ form }) => <Badge>{form}</Badge>, wide: true },
          { name: own.page, cell: ({ page }) => <code>{page}</code>, wide: true },
          { name: own.when, cell: ({ submitted_at }) => <Moment at={submitted_at} />, wide: true },
          {
            name: texts.actions.more,
            unnamed: true,
            end: true,
            cell: (submission) => (mayChange ? <SubmissionActions projectId={projectId} submission={submission} /> : null),
          },
        ]}
      />
    </Page>
  );
}
