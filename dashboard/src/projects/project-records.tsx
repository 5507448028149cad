import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Project } from '../api/records.ts';
import { Badge } from '../components/badge.tsx';
import { Moment } from '../components/moment.tsx';
import { type Column, Records } from '../components/records.tsx';
import { texts } from '../texts.ts';

const own = texts.projects;

interface Props {
  readonly projects: readonly Project[];
  /** What stands before the name, such as its star. */
  readonly mark?: ((project: Project) => ReactNode) | undefined;
}

export function ProjectRecords({ projects, mark }: Props) {
  const marks: Column<Project>[] = mark === undefined ? [] : [{ name: own.star, unnamed: true, cell: mark }];
  return (
    <Records
      label={own.title}
      records={projects}
      columns={[
        ...marks,
        {
          name: own.name,
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
        { name: own.published, cell: (project) => <PublishState {...project} /> },
        { name: own.address, cell: ({ published_url }) => <SiteLink url={published_url} />, wide: true },
        { name: own.updated, cell: ({ updated_at }) => <Moment at={updated_at} />, wide: true, end: true },
      ]}
    />
  );
}

export function PublishState({ status, last_published_at }: Pick<Project, 'status' | 'last_published_at'>) {
  if (status === 'archived') return <Badge>{own.statuses.archived}</Badge>;
  return last_published_at === null ? <Badge>{own.notPublished}</Badge> : <Badge tone="good">{own.live}</Badge>;
}

/** The address of a published site, shortened to what tells it from others. */
export function SiteLink({ url }: { url: string | null }) {
  if (url === null) return <span className="soft">–</span>;
  return (
    <a className="link above" href={url} target="_blank" rel="noreferrer">
      {new URL(url).host}
    </a>
  );
}
