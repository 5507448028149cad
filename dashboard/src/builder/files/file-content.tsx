import { useQuery } from '@tanstack/react-query';
import { QueryBoundary } from '../../components/feedback/query-boundary.tsx';
import { Lines } from '../../history/lines.tsx';
import '../../history/history.css';
import { type File, textQuery } from '../queries.ts';
import { texts } from '../texts.ts';

const t = texts.files;
const isText = ({ content_type }: File) => /^text\/|json|javascript|xml|svg/.test(content_type);

interface Place {
  readonly projectId: string;
}

/** The text of a file, read-only. */
export function FileContent({ projectId, revisionId, file }: Place & { revisionId: string | undefined; file: File | undefined }) {
  const query = useQuery({
    ...textQuery(projectId, revisionId, file ?? { path: '', sha256: '' }),
    enabled: file !== undefined && isText(file),
  });
  if (file === undefined) return null;
  if (!isText(file)) return <p className="empty soft">{t.binary}</p>;
  return (
    <QueryBoundary query={query}>
      {(text) => (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <section className="code" tabIndex={0} aria-label={t.content({ path: file.path })}>
          <pre>{text}</pre>
        </section>
      )}
    </QueryBoundary>
  );
}

interface DiffProps extends Place {
  readonly from: string | undefined;
  readonly to: string;
  readonly before: File | undefined;
  readonly after: File;
}

/** The changes of a revision in a file. */
export function FileDiff({ projectId, from, to, before, after }: DiffProps) {
  const hasBefore = before !== undefined && isText(before);
  const old = useQuery({ ...textQuery(projectId, from, before ?? { path: '', sha256: '' }), enabled: hasBefore });
  const now = useQuery({ ...textQuery(projectId, to, after), enabled: isText(after) });
  if (!isText(after)) return <p className="empty soft">{t.binary}</p>;
  const query = hasBefore && old.data === undefined ? old : now;
  return <QueryBoundary query={query}>{() => <Lines path={after.path} before={old.data ?? ''} after={now.data ?? ''} />}</QueryBoundary>;
}
