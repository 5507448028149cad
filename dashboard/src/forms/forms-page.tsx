import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useParams } from 'react-router';
import { api, readCsv } from '../api/client.ts';
import { usePermission } from '../api/permissions.ts';
import { projectQuery } from '../api/records.ts';
import { CsvButton } from '../components/content/csv-button.tsx';
import { Timestamp } from '../components/content/timestamp.tsx';
import { Badge } from '../components/feedback/badge.tsx';
import { EmptyState } from '../components/feedback/empty-state.tsx';
import { Toggle } from '../components/forms/toggle.tsx';
import { Page } from '../components/layout/page.tsx';
import { RecordList } from '../components/tables/record-list.tsx';
import { texts } from '../texts.ts';
import { submissionsQuery } from './form-queries.ts';
import { FormSettings } from './form-settings.tsx';
import { RecipientNotice } from './recipient-notice.tsx';
import { SubmissionActions } from './submission-actions.tsx';

const t = texts.forms;
const limit = 25;

/** The form submissions of a project's site. */
export function FormsPage() {
  const { projectId = '' } = useParams();
  const [filter, setFilter] = useState({ spam: 'false', offset: 0 });
  const project = useQuery(projectQuery(projectId)).data?.body.project;
  const query = useQuery(submissionsQuery(projectId, { limit, ...filter }));
  const canChange = usePermission('changeProjects');
  const csv = () =>
    readCsv(
      api.GET('/projects/{projectId}/forms/submissions', {
        params: { path: { projectId }, query: { spam: filter.spam } },
        headers: { Accept: 'text/csv' },
        parseAs: 'text',
      }),
    );

  return (
    <Page
      title={t.title}
      text={t.text}
      back={{ to: `/projects/${projectId}`, label: project?.name ?? texts.pages.projects }}
      actions={
        <>
          {canChange ? <FormSettings projectId={projectId} /> : null}
          <CsvButton filename="submissions.csv" load={csv} />
        </>
      }
    >
      <RecipientNotice projectId={projectId} canChange={canChange} />
      <Toggle isSelected={filter.spam === 'true'} onChange={(spam) => setFilter({ spam: String(spam), offset: 0 })}>
        {t.showSpam}
      </Toggle>
      <RecordList
        label={t.title}
        query={query}
        records={({ submissions }) => submissions}
        pages={{ limit, offset: filter.offset, total: ({ total }) => total, onOffsetChange: (offset) => setFilter({ ...filter, offset }) }}
        empty={<EmptyState title={t.empty} text={t.emptyText} />}
        columns={[
          {
            name: t.sent,
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
          { name: t.form, cell: ({ form }) => <Badge>{form}</Badge>, wide: true },
          { name: t.page, cell: ({ page }) => <code>{page}</code>, wide: true },
          { name: t.when, cell: ({ submitted_at }) => <Timestamp at={submitted_at} />, wide: true },
          {
            name: texts.actions.more,
            unnamed: true,
            end: true,
            cell: (submission) => (canChange ? <SubmissionActions projectId={projectId} submission={submission} /> : null),
          },
        ]}
      />
    </Page>
  );
}
