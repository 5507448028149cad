import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { Badge } from '../components/feedback/badge.tsx';
import { QueryBoundary } from '../components/feedback/query-boundary.tsx';
import { history as t } from '../texts/history.ts';
import { changesQuery, type FileChange, type HistoryEntry, type Site, textQuery } from './history-queries.ts';
import { Lines } from './lines.tsx';

const tones = { added: 'good', changed: undefined, removed: 'bad' } as const;

/** The files in which an entry differs from the live site, and how. */
export function Changes({ site, entry }: { site: Site; entry: HistoryEntry }) {
  const query = useQuery(changesQuery(site, entry.id, 'live'));
  const [chosen, setChosen] = useState<string>();
  const empty = {
    when: ({ changes }: { changes: readonly FileChange[] }) => changes.length === 0,
    show: <p className="soft">{t.asLive}</p>,
  };
  return (
    <QueryBoundary query={query} empty={empty}>
      {({ changes, before_id }) => {
        const shown = changes.find(({ path }) => path === chosen) ?? changes.find(({ path }) => path === 'index.html') ?? changes[0];
        return (
          <div className="changed-files">
            <nav className="file-list" aria-label={t.files}>
              {changes.map(({ path, change }) => (
                <Button
                  key={path}
                  className="file"
                  aria-current={path === shown?.path ? 'true' : undefined}
                  onPress={() => setChosen(path)}
                >
                  <span>{path}</span>
                  <Badge {...(tones[change] && { tone: tones[change] })}>{t.difference[change]}</Badge>
                </Button>
              ))}
            </nav>
            {shown === undefined ? null : <Difference key={shown.path} site={site} id={entry.id} beforeId={before_id} change={shown} />}
          </div>
        );
      }}
    </QueryBoundary>
  );
}

interface DifferenceProps {
  readonly site: Site;
  readonly id: string;
  readonly beforeId: string | null;
  readonly change: FileChange;
}

function Difference({ site: { projectId }, id, beforeId, change: { path, before, after } }: DifferenceProps) {
  const old = useQuery(textQuery(projectId, beforeId, before));
  const now = useQuery(textQuery(projectId, id, after));
  return (
    <QueryBoundary query={old.data === undefined ? old : now}>
      {() =>
        typeof old.data === 'string' && typeof now.data === 'string' ? (
          <Lines path={path} before={old.data} after={now.data} />
        ) : (
          <p className="empty soft">{t.binary}</p>
        )
      }
    </QueryBoundary>
  );
}
