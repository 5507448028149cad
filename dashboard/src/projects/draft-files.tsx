import { useQuery } from '@tanstack/react-query';
import { filesQuery } from '../api/records.ts';
import { Empty } from '../components/empty.tsx';
import { RecordList } from '../components/record-list.tsx';
import { texts } from '../texts.ts';
import { bytes } from './bytes.ts';

const own = texts.projects;

export function DraftFiles({ projectId }: { projectId: string }) {
  const query = useQuery(filesQuery(projectId));
  return (
    <RecordList
      label={own.files}
      titled
      actions={<span className="soft small">{query.data === undefined ? null : own.filesCount(query.data.length)}</span>}
      query={query}
      records={(files) => files.map((file) => ({ ...file, id: file.path }))}
      empty={<Empty title={own.noFiles} text={own.noFilesText} />}
      columns={[
        { name: own.path, cell: ({ path }) => <code>{path}</code> },
        { name: own.size, cell: ({ size }) => <span className="number">{bytes(size)}</span>, end: true },
      ]}
    />
  );
}
