import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay } from '../api/may.ts';
import { projectsQuery } from '../api/records.ts';
import { Card } from '../components/card.tsx';
import { Choice } from '../components/choice.tsx';
import { curl } from '../components/curl.ts';
import { Empty } from '../components/empty.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Page } from '../components/page.tsx';
import { Pager } from '../components/pager.tsx';
import { Search } from '../components/search.tsx';
import { texts } from '../texts.ts';
import { CreateProject } from './create-project.tsx';
import { ProjectRecords } from './project-records.tsx';
import { StarButton } from './star-button.tsx';

const own = texts.projects;
const limit = 25;
const everyStatus = 'all';
const statuses = [{ id: everyStatus, label: own.allStatuses }, ...Object.entries(own.statuses).map(([id, label]) => ({ id, label }))];
const request = curl('POST', '/projects', { client_email: 'rosa@example.com', name: 'Harbour Bakery' });

export function ProjectsPage() {
  const [filter, setFilter] = useState({ q: '', status: everyStatus, offset: 0 });
  const isAgency = useMay('seeOrganization');
  const mayWrite = useMay('write');
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
  const nothing = isAgency ? (
    <Empty title={own.empty} text={own.emptyText} request={request} />
  ) : (
    <Empty title={own.clientEmpty} text={own.clientEmptyText} />
  );

  return (
    <Page title={own.title} text={isAgency ? own.text : own.clientText} actions={mayWrite ? <CreateProject /> : null}>
      <div className="toolbar">
        <Search label={own.search} value={filter.q} onChange={(q) => setFilter({ ...filter, q, offset: 0 })} />
        <Choice
          label={own.status}
          labelHidden
          options={statuses}
          value={filter.status}
          onChange={(status) => setFilter({ ...filter, status, offset: 0 })}
        />
      </div>
      <Card>
        <Loaded
          query={query}
          empty={{
            when: ({ total }) => total === 0,
            show: isFiltered ? <Empty title={own.nothingFound} text={own.nothingFoundText} /> : nothing,
          }}
        >
          {({ projects, total }) => (
            <>
              <ProjectRecords projects={projects} mark={mayWrite ? (project) => <StarButton project={project} /> : undefined} />
              <Pager total={total} limit={limit} offset={filter.offset} onTurn={(offset) => setFilter({ ...filter, offset })} />
            </>
          )}
        </Loaded>
      </Card>
    </Page>
  );
}
