import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Project } from '../api/records.ts';
import { Timestamp } from '../components/content/timestamp.tsx';
import { Badge } from '../components/feedback/badge.tsx';
import { type Column, RecordTable } from '../components/tables/record-table.tsx';
import { texts } from '../texts.ts';

const t = texts.projects;

interface Props {
  readonly projects: readonly Project[];
  /** Renders a cell before the name, such as the star. */
  readonly leading?: ((project: Project) => ReactNode) | undefined;
}

export function ProjectRecords({ projects, leading }: Props) {
  const leadingColumns: Column<Project>[] = leading === undefined ? [] : [{ name: t.star, unnamed: true, cell: leading }];
  return (
    <RecordTable
      label={texts.pages.projects}
      records={projects}
      columns={[
        ...leadingColumns,
        {
          name: t.name,
          cell: (project) => (
            <span className="two-lines">
              <Link className="row-link" to={`/projects/${project.id}`}>
                {project.name}
              </Link>
              <span className="badges">
                {project.tags.map((tag) => (
                  <Badge key={tag}>{tag}</Badge>
                ))}
              </span>
            </span>
          ),
        },
        { name: t.published, cell: (project) => <PublishState {...project} /> },
        { name: t.address, cell: ({ published_url }) => <SiteLink url={published_url} />, wide: true },
        { name: t.updated, cell: ({ updated_at }) => <Timestamp at={updated_at} />, wide: true, end: true },
      ]}
    />
  );
}

export function PublishState({ status, last_published_at }: Pick<Project, 'status' | 'last_published_at'>) {
  if (status === 'archived') return <Badge>{t.statuses.archived}</Badge>;
  return last_published_at === null ? <Badge>{t.notPublished}</Badge> : <Badge tone="good">{t.live}</Badge>;
}

/** A link to the published site that shows only its host. */
export function SiteLink({ url }: { url: string | null }) {
  if (url === null) return <span className="soft">–</span>;
  return (
    <a className="link above" href={url} target="_blank" rel="noreferrer">
      {new URL(url).host}
    </a>
  );
}
