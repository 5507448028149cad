import { useMutation, useQuery } from '@tanstack/react-query';
import { Download, ExternalLink } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { Button } from 'react-aria-components';
import { Timestamp } from '../components/content/timestamp.tsx';
import { DialogButton } from '../components/dialogs/dialog-button.tsx';
import { Modal } from '../components/dialogs/modal.tsx';
import { Badge } from '../components/feedback/badge.tsx';
import { EmptyState } from '../components/feedback/empty-state.tsx';
import { ProblemNotice } from '../components/feedback/problem-notice.tsx';
import { QueryBoundary } from '../components/feedback/query-boundary.tsx';
import { Skeleton } from '../components/feedback/skeleton.tsx';
import { ActionForm } from '../components/forms/action-form.tsx';
import { history as t } from '../texts/history.ts';
import {
  changesQuery,
  type FileChange,
  type HistoryEntry,
  historyQuery,
  openPreview,
  restoreEntry,
  rollBackTo,
  type Site,
  saveZip,
} from './history-queries.ts';
import './history.css';

const Changes = lazy(async () => ({ default: (await import('./changes-dialog.tsx')).Changes }));

interface Props {
  readonly site: Site;
  readonly canRestore: boolean;
  readonly canRollBack: boolean;
  /** Called once the draft or the live site is another one. */
  readonly onChanged: () => unknown;
  /** Shown in place of an empty list. */
  readonly empty?: ReactNode;
}

/** The states of a site, newest first: who made each, what it changed, and ways to see it and back to it. */
export function HistoryList({ site, canRestore, canRollBack, onChanged, empty }: Props) {
  const query = useQuery(historyQuery(site));
  const [compared, setCompared] = useState<HistoryEntry>();
  const see = useMutation({ mutationFn: (id: string) => openPreview(site.projectId, id) });
  const download = useMutation({ mutationFn: (id: string) => saveZip(site.projectId, id) });
  const isEmpty = { when: (all: readonly unknown[]) => all.length === 0, show: empty ?? <EmptyState title={t.empty} text={t.emptyText} /> };
  return (
    <QueryBoundary query={query} empty={isEmpty}>
      {(entries) => (
        <>
          <ProblemNotice error={see.error ?? download.error} />
          <ol className="revisions" aria-label={t.title}>
            {entries.map((entry) => (
              <li key={entry.id} className="revision">
                <span className="revision-number number soft">{entry.number ?? ''}</span>
                <Story entry={entry} />
                <div className="actions">
                  <Button className="button compact quiet" onPress={() => setCompared(entry)}>
                    {t.changes}
                  </Button>
                  <Button
                    className="button icon quiet"
                    aria-label={t.preview({ message: entry.message })}
                    onPress={() => see.mutate(entry.id)}
                  >
                    <ExternalLink size={15} aria-hidden />
                  </Button>
                  <Button
                    className="button icon quiet"
                    aria-label={t.download({ message: entry.message })}
                    isPending={download.isPending && download.variables === entry.id}
                    onPress={() => download.mutate(entry.id)}
                  >
                    <Download size={15} aria-hidden />
                  </Button>
                  {canRestore && !entry.draft ? <GoBack site={site} id={entry.id} to="draft" onDone={onChanged} /> : null}
                  {canRollBack && entry.kind === 'deploy' && !entry.live ? (
                    <GoBack site={site} id={entry.id} to="live" onDone={onChanged} />
                  ) : null}
                </div>
              </li>
            ))}
          </ol>
          <Modal
            title={t.changesTitle({ message: compared?.message ?? '' })}
            text={t.changesText}
            isOpen={compared !== undefined}
            onOpenChange={() => setCompared(undefined)}
            isWide
          >
            <Suspense fallback={<Skeleton />}>{compared === undefined ? null : <Changes site={site} entry={compared} />}</Suspense>
          </Modal>
        </>
      )}
    </QueryBoundary>
  );
}

function Story({ entry: { message, origin, author, live, draft, created_at } }: { entry: HistoryEntry }) {
  // What nobody has named may be called by its origin already.
  const facts = [...(message === t.origins[origin] ? [] : [t.origins[origin]]), ...(author === null ? [] : [nameOf(author)])];
  return (
    <div>
      <p>
        {message} {live ? <Badge tone="good">{t.live}</Badge> : null} {draft ? <Badge>{t.draft}</Badge> : null}
      </p>
      <p className="soft small">
        {facts.map((fact) => `${fact} · `)}
        <Timestamp at={created_at} />
      </p>
    </div>
  );
}

function nameOf({ kind, name, agent }: NonNullable<HistoryEntry['author']>): string {
  if (kind !== 'agent' && kind !== 'api_key') return name ?? t.authors[kind];
  const key = name === null ? t.authors.anyKey : t.authors.api_key({ name });
  if (kind === 'api_key' && agent === null) return key;
  const owner = kind === 'api_key' ? key : name;
  const program = agent ?? t.authors.anyAgent;
  return owner === null ? program : t.authors.agent({ agent: program, name: owner });
}

interface GoBackProps {
  readonly site: Site;
  readonly id: string;
  /** What becomes this entry: the draft, or what visitors see. */
  readonly to: 'draft' | 'live';
  readonly onDone: () => unknown;
}

/** Says which files change before it changes them. */
function GoBack({ site, id, to, onDone }: GoBackProps) {
  const [label, title, text, act] =
    to === 'draft' ? [t.restore, t.restoreTitle, t.restoreText, restoreEntry] : [t.rollBack, t.rollBack, t.rollBackText, rollBackTo];
  return (
    <DialogButton label={label} variant="compact" title={title} text={text}>
      {(close) => (
        <ActionForm submit={label} onCancel={close} action={() => act(site.projectId, id).then(onDone).then(close)}>
          <Summary site={site} id={id} against={to} />
        </ActionForm>
      )}
    </DialogButton>
  );
}

const maxNamed = 8;

function Summary({ site, id, against }: { site: Site; id: string; against: 'live' | 'draft' }) {
  const query = useQuery(changesQuery(site, id, against));
  return (
    <QueryBoundary query={query}>
      {({ changes }) =>
        changes.length === 0 ? (
          <p className="soft">{t.nothing}</p>
        ) : (
          <dl className="facts">
            {(['added', 'changed', 'removed'] as const).map((kind) => (
              <Named key={kind} name={t.difference[kind]} files={changes.filter(({ change }) => change === kind)} />
            ))}
          </dl>
        )
      }
    </QueryBoundary>
  );
}

/** How many files, and which if they are few. */
function Named({ name, files }: { name: string; files: readonly FileChange[] }) {
  if (files.length === 0) return null;
  return (
    <>
      <dt>{name}</dt>
      <dd>{files.length > maxNamed ? t.count({ count: files.length }) : files.map(({ path }) => path).join(', ')}</dd>
    </>
  );
}
