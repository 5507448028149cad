import { useQuery } from '@tanstack/react-query';
import { filesQuery } from '../api/records.ts';
import { formatBytes } from '../components/content/format-bytes.ts';
import { EmptyState } from '../components/feedback/empty-state.tsx';
import { RecordList } from '../components/tables/record-list.tsx';
import { texts } from '../texts.ts';

const t = texts.projects;

export function DraftFiles({ projectId }: { projectId: string }) {
  const query = useQuery(filesQuery(projectId));
  return (
    <RecordList
      label={t.files}
      titled
      actions={<span className="soft small">{query.data === undefined ? null : t.filesCount(query.data.length)}</span>}
      query={query}
      records={(files) => files.map((file) => ({ ...file, id: file.path }))}
      empty={<EmptyState title={t.noFiles} text={t.noFilesText} />}
      columns={[
        { name: t.path, cell: ({ path }) => <code>{path}</code> },
        { name: t.size, cell: ({ size }) => <span className="number">{formatBytes(size)}</span>, end: true },
      ]}
    />
  );
}
