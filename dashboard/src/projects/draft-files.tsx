import { useQuery } from '@tanstack/react-query';
import { filesQuery } from '../api/records.ts';
import { Card } from '../components/card.tsx';
import { Empty } from '../components/empty.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Records } from '../components/records.tsx';
import { texts } from '../texts.ts';
import { bytes } from './bytes.ts';

const own = texts.projects;

export function DraftFiles({ projectId }: { projectId: string }) {
  const query = useQuery(filesQuery(projectId));
  return (
    <Card
      title={own.files}
      actions={<span className="soft small">{query.data === undefined ? null : own.filesCount(query.data.length)}</span>}
    >
      <Loaded query={query} empty={{ when: (files) => files.length === 0, show: <Empty title={own.noFiles} text={own.noFilesText} /> }}>
        {(files) => (
          <Records
            label={own.files}
            records={files.map((file) => ({ ...file, id: file.path }))}
            columns={[
              { name: own.path, cell: ({ path }) => <code>{path}</code> },
              { name: own.size, cell: ({ size }) => <span className="number">{bytes(size)}</span>, end: true },
            ]}
          />
        )}
      </Loaded>
    </Card>
  );
}
