import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ExternalLink } from 'lucide-react';
import type { ComponentProps } from 'react';
import { Button } from 'react-aria-components';
import { Problem } from '../../api/problem.ts';
import { PublishWarnings } from '../../components/content/publish-warnings.tsx';
import { Snippet } from '../../components/content/snippet.tsx';
import { Timestamp } from '../../components/content/timestamp.tsx';
import { tellHost } from '../host.ts';
import { draftQuery, type Project } from '../queries.ts';
import { request } from '../requests.ts';
import { texts } from '../texts.ts';
import { Domains } from './domains.tsx';

const t = texts.publish;

/** Publishes the draft; the address is there at once. Below it, the site's other addresses. */
export const PublishTab = ({ project, hasFiles }: { project: Project; hasFiles: boolean }) => (
  <>
    <Publish project={project} hasFiles={hasFiles} />
    <Domains projectId={project.id} />
  </>
);

interface Published {
  url: string;
  warnings?: ComponentProps<typeof PublishWarnings>['warnings'];
}

function Publish({ project, hasFiles }: { project: Project; hasFiles: boolean }) {
  const queries = useQueryClient();
  const publish = useMutation({
    mutationFn: () => request<Published>('POST', `/projects/${project.id}/publish`, {}),
    onSuccess: ({ url }) => {
      tellHost({ type: 'published', url });
      return queries.invalidateQueries();
    },
    onError: (error) => tellHost({ type: 'error', code: Problem.of(error).code ?? 'unknown', message: Problem.of(error).message }),
  });
  const { data: draft } = useQuery({ ...draftQuery(project.id), staleTime: 0 });
  const url = publish.data?.url ?? project.published_url;
  const warnings = publish.data?.warnings ?? [];
  const isLive = project.last_published_at !== null || publish.data !== undefined;
  const isUpToDate = isLive && draft?.up_to_date === true;
  return (
    <section className="publish" aria-labelledby="publish-title">
      <h2 id="publish-title">{publish.data === undefined ? t.title : t.live}</h2>
      <p className="soft">{!hasFiles ? t.empty : isUpToDate ? t.upToDateText : isLive ? t.textAgain : t.text}</p>
      {isLive && draft !== undefined && !isUpToDate ? <p className="soft small">{t.changes({ changes: changesOf(draft) })}</p> : null}
      {publish.error === null ? null : (
        <p className="notice bad" role="alert">
          {Problem.of(publish.error).message}
        </p>
      )}
      {warnings.length > 0 ? <PublishWarnings title={t.warnings} warnings={warnings} /> : null}
      {isLive && url !== null ? (
        <>
          <Snippet text={url} label={t.live} />
          <p className="soft small" role="status">
            {t.at} <Timestamp at={project.last_published_at} fallback="" />
          </p>
        </>
      ) : (
        <p className="soft small">{t.notYet}</p>
      )}
      <div className="actions">
        <Button
          className="button primary"
          isDisabled={!hasFiles || isUpToDate}
          isPending={publish.isPending}
          onPress={() => publish.mutate()}
        >
          {isUpToDate ? t.upToDate : isLive ? t.again : t.action}
        </Button>
        {isLive && url !== null ? (
          <a className="button" href={url} target="_blank" rel="noreferrer">
            <ExternalLink size={15} aria-hidden />
            {t.open}
          </a>
        ) : null}
      </div>
    </section>
  );
}

type Draft = Awaited<ReturnType<NonNullable<ReturnType<typeof draftQuery>['queryFn']>>>;

/** "1 added", "2 changed": the kinds of changes that there are. */
const changesOf = (draft: Draft) =>
  (['added', 'changed', 'removed'] as const).flatMap((kind) => (draft[kind].count > 0 ? [t[kind](draft[kind])] : []));
