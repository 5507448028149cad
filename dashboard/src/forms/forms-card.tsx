import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { Timestamp } from '../components/content/timestamp.tsx';
import { EmptyState } from '../components/feedback/empty-state.tsx';
import { RecordList } from '../components/tables/record-list.tsx';
import { texts } from '../texts.ts';
import { formsQuery } from './form-queries.ts';

const t = texts.forms;

/** The forms of a project's site, with a link to their submissions. */
export function FormsCard({ projectId }: { projectId: string }) {
  const query = useQuery(formsQuery(projectId));
  return (
    <RecordList
      label={t.title}
      titled
      query={query}
      records={(forms) => forms.map((form) => ({ ...form, id: form.name }))}
      empty={<EmptyState title={t.empty} text={t.emptyText} />}
      actions={
        <Link className="link small" to={`/projects/${projectId}/forms`}>
          {t.submissions}
        </Link>
      }
      columns={[
        { name: t.form, cell: ({ name }) => <code>{name}</code> },
        { name: t.submissions, cell: ({ submissions }) => <span className="number">{submissions}</span> },
        { name: t.spam, cell: ({ spam }) => <span className="number">{spam}</span>, wide: true },
        { name: t.last, cell: ({ last_submitted_at }) => <Timestamp at={last_submitted_at} />, end: true },
      ]}
    />
  );
}
