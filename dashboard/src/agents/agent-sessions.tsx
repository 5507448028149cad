import { useQuery } from '@tanstack/react-query';
import { api, readJson, type Schemas } from '../api/client.ts';
import { usePermission } from '../api/permissions.ts';
import { useAction } from '../api/use-action.ts';
import { Timestamp } from '../components/content/timestamp.tsx';
import { ConfirmButton } from '../components/dialogs/confirm-button.tsx';
import { EmptyState } from '../components/feedback/empty-state.tsx';
import { RecordList } from '../components/tables/record-list.tsx';
import { texts } from '../texts.ts';

type Session = Schemas['AgentSession'];
type Change = Session['changes'][number];

const t = texts.agents;
const toolNames: Readonly<Record<string, string>> = t.tools;

/** What agents changed, by session, each with a button that takes it back. */
export function AgentSessions() {
  const isAllowed = usePermission('undoAgents');
  const query = useQuery({
    queryKey: ['agent-sessions'],
    queryFn: () => readJson(api.GET('/account/agents/sessions')),
    enabled: isAllowed,
  });
  if (!isAllowed) return null;
  return (
    <RecordList
      label={t.changed}
      titled
      query={query}
      records={({ sessions }) => sessions}
      empty={<EmptyState title={t.nothingChanged} text={t.nothingChangedText} />}
      columns={[
        {
          name: t.agent,
          cell: ({ agent, last_at }) => (
            <span className="two-lines">
              <strong className="anywhere">{agent}</strong>
              <span className="soft small">
                <Timestamp at={last_at} />
              </span>
            </span>
          ),
        },
        { name: t.changes, cell: ({ changes }) => <Changes changes={changes} /> },
        { name: t.undo, unnamed: true, end: true, cell: (session) => <Undo session={session} /> },
      ]}
    />
  );
}

function Changes({ changes }: { readonly changes: readonly Change[] }) {
  return (
    <details>
      <summary>{changes.length}</summary>
      <ol className="stack tight">
        {changes.map(({ id, tool, name, values, state, reason }) => (
          <li key={id} className="small anywhere">
            <strong>{toolNames[tool] ?? tool}</strong> {name} <span className="soft">{t.changeStates[state]}</span>
            {values.map(({ field, before, after }) => (
              <div key={field} className="soft">
                {field}: {before ?? '–'} → {after ?? '–'}
              </div>
            ))}
            {reason === null ? null : <div>{reason}</div>}
          </li>
        ))}
      </ol>
    </details>
  );
}

function Undo({ session: { id, agent, changes } }: { readonly session: Session }) {
  const undo = useAction('agent-sessions', () =>
    readJson(api.POST('/account/agents/sessions/{toolSessionId}/undo', { params: { path: { toolSessionId: id } }, body: {} })),
  );
  if (changes.every(({ state }) => state === 'undone')) return null;
  return <ConfirmButton label={t.undo} title={`${t.undo}: ${agent}`} text={t.undoText} action={() => undo.mutateAsync()} />;
}
