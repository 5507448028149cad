import { useQuery } from '@tanstack/react-query';
import { api, readJson, type Schemas } from '../api/client.ts';
import { usePermission } from '../api/permissions.ts';
import { clientsQuery, projectsQuery } from '../api/records.ts';
import { useAction } from '../api/use-action.ts';
import { clientName } from '../clients/client-status.tsx';
import { Timestamp } from '../components/content/timestamp.tsx';
import { ConfirmButton } from '../components/dialogs/confirm-button.tsx';
import { EmptyState } from '../components/feedback/empty-state.tsx';
import { RecordList } from '../components/tables/record-list.tsx';
import { texts } from '../texts.ts';

const t = texts.agents;

/** The agents that act for this account, each with a button to disconnect it. */
export function ConnectedAgents() {
  const query = useQuery({ queryKey: ['agents'], queryFn: () => readJson(api.GET('/account/agents')) });
  const isLimitedBy = (limit: 'project_id' | 'client_id') => query.data?.agents.some((agent) => agent[limit] !== null) ?? false;
  const seesClients = usePermission('seeOrganization');
  // Those of the organization of this session; an agent may be limited to a project or client of another one.
  const { data: { projects } = { projects: [] } } = useQuery({ ...projectsQuery({ limit: 100 }), enabled: isLimitedBy('project_id') });
  const { data: clients = [] } = useQuery({ ...clientsQuery(), enabled: seesClients && isLimitedBy('client_id') });
  const projectName = (id: string) => {
    const project = projects.find((each) => each.id === id);
    return project === undefined ? t.oneProjectAlone : t.projectNamed({ name: project.name });
  };
  const clientNamed = (id: string) => {
    const client = clients.find((each) => each.id === id);
    return client === undefined ? t.oneClientAlone : t.clientNamed({ name: clientName(client) });
  };
  return (
    <RecordList
      label={t.connected}
      titled
      query={query}
      records={({ agents }) => agents}
      empty={<EmptyState title={t.empty} text={t.emptyText} />}
      columns={[
        {
          name: t.agent,
          cell: ({ client_name, redirect_host }) => (
            <span className="two-lines">
              <strong className="anywhere">{client_name}</strong>
              <span className="soft small anywhere">{redirect_host}</span>
            </span>
          ),
        },
        {
          name: t.organization,
          cell: ({ organization, project_id, client_id }) => (
            <span className="two-lines">
              <span>{organization}</span>
              {project_id === null ? null : <span className="soft small anywhere">{projectName(project_id)}</span>}
              {client_id === null ? null : <span className="soft small anywhere">{clientNamed(client_id)}</span>}
            </span>
          ),
          wide: true,
        },
        { name: t.scopes, cell: ({ scopes }) => <code>{scopes.join(' ')}</code>, wide: true },
        { name: t.since, cell: ({ created_at }) => <Timestamp at={created_at} />, wide: true },
        { name: t.lastUsed, cell: ({ last_used_at }) => (last_used_at === null ? t.neverUsed : <Timestamp at={last_used_at} />) },
        { name: t.disconnect, unnamed: true, end: true, cell: (agent) => <DisconnectAgent agent={agent} /> },
      ]}
    />
  );
}

function DisconnectAgent({ agent: { id, client_name } }: { agent: Schemas['Agent'] }) {
  const disconnect = useAction('agents', () => readJson(api.DELETE('/account/agents/{agentId}', { params: { path: { agentId: id } } })));
  return (
    <ConfirmButton
      label={t.disconnect}
      title={`${t.disconnect}: ${client_name}`}
      text={t.disconnectText}
      action={() => disconnect.mutateAsync()}
    />
  );
}
