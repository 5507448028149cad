import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Star } from 'lucide-react';
import { useState } from 'react';
import { ToggleButton } from 'react-aria-components';
import { api, readJson } from '../api/client.ts';
import { usePermission } from '../api/permissions.ts';
import { type Project, projectsQuery } from '../api/records.ts';
import { curl } from '../components/content/curl.ts';
import { EmptyState } from '../components/feedback/empty-state.tsx';
import { QueryBoundary } from '../components/feedback/query-boundary.tsx';
import { Search } from '../components/forms/search.tsx';
import { Select } from '../components/forms/select.tsx';
import { Card } from '../components/layout/card.tsx';
import { Page } from '../components/layout/page.tsx';
import { Pager } from '../components/tables/pager.tsx';
import { texts } from '../texts.ts';
import { CreateProject } from './create-project.tsx';
import { ProjectRecords } from './project-records.tsx';

/** Stars a project. The change shows at once and is reverted if the request fails. */
function StarButton({ project }: { project: Project }) {
  const queryClient = useQueryClient();
  const { mutate, variables, isPending } = useMutation({
    mutationFn: (starred: boolean) =>
      readJson(api.PATCH('/projects/{projectId}', { params: { path: { projectId: project.id } }, body: { starred } })),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['projects'] }),
  });
  const starred = isPending ? variables : project.starred;
  return (
    <ToggleButton
      className="button quiet icon star above"
      isSelected={starred}
      onChange={mutate}
      aria-label={texts.projects.starProject({ name: project.name })}
    >
      <Star size={16} fill={starred ? 'currentColor' : 'none'} aria-hidden />
    </ToggleButton>
  );
}

const t = texts.projects;
const limit = 25;
const everyStatus = 'all';
const statuses = [{ id: everyStatus, label: t.allStatuses }, ...Object.entries(t.statuses).map(([id, label]) => ({ id, label }))];
const request = curl('POST', '/projects', { client_email: 'rosa@example.com', name: 'Harbour Bakery' });

export function ProjectsPage() {
  const [filter, setFilter] = useState({ q: '', status: everyStatus, offset: 0 });
  const isAgency = usePermission('seeOrganization');
  const canWrite = usePermission('write');
  const q = filter.q.trim();
  const isFiltered = q !== '' || filter.status !== everyStatus;
  const query = useQuery(
    projectsQuery({
      limit,
      offset: filter.offset,
      ...(q === '' ? {} : { q }),
      ...(filter.status === everyStatus ? {} : { status: filter.status }),
    }),
  );
  const emptyState = isAgency ? (
    <EmptyState title={t.empty} text={t.emptyText} request={request} />
  ) : (
    <EmptyState title={t.clientEmpty} text={t.clientEmptyText} />
  );

  return (
    <Page title={texts.pages.projects} text={isAgency ? t.text : t.clientText} actions={canWrite ? <CreateProject /> : null}>
      <div className="toolbar">
        <Search label={t.search} value={filter.q} onChange={(q) => setFilter({ ...filter, q, offset: 0 })} />
        <Select
          label={t.status}
          labelHidden
          options={statuses}
          value={filter.status}
          onChange={(status) => setFilter({ ...filter, status, offset: 0 })}
        />
      </div>
      <Card>
        <QueryBoundary
          query={query}
          empty={{
            when: ({ total }) => total === 0,
            show: isFiltered ? <EmptyState title={t.nothingFound} text={t.nothingFoundText} /> : emptyState,
          }}
        >
          {({ projects, total }) => (
            <>
              <ProjectRecords projects={projects} leading={canWrite ? (project) => <StarButton project={project} /> : undefined} />
              <Pager total={total} limit={limit} offset={filter.offset} onOffsetChange={(offset) => setFilter({ ...filter, offset })} />
            </>
          )}
        </QueryBoundary>
      </Card>
    </Page>
  );
}
