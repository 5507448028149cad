import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { Empty } from '../components/empty.tsx';
import { Moment } from '../components/moment.tsx';
import { RecordList } from '../components/record-list.tsx';
import { texts } from '../texts.ts';
import { formsQuery } from './form-queries.ts';

const own = texts.forms;

/** The forms of a project's site, and the way to what came in by them. */
export function FormsCard({ projectId }: { projectId: string }) {
  const query = useQuery(formsQuery(projectId));
  return (
    <RecordList
      label={own.title}
      titled
      query={query}
      records={(forms) => forms.map((form) => ({ ...form, id: form.name }))}
      empty={<Empty title={own.empty} text={own.emptyText} />}
      actions={
        <Link className="link small" to={`/projects/${projectId}/forms`}>
          {own.submissions}
        </Link>
      }
      columns={[
        { name: own.form, cell: ({ name }) => <code>{name}</code> },
        { name: own.submissions, cell: ({ submissions }) => <span className="number">{submissions}</span> },
        { name: own.spam, cell: ({ spam }) => <span className="number">{spam}</span>, wide: true },
        { name: own.last, cell: ({ last_submitted_at }) => <Moment at={last_submitted_at} />, end: true },
      ]}
    />
  );
}
