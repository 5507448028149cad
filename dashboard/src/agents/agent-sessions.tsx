import { useQuery } from '@tanstack/react-query';
import { api, readJson, type Schemas } from '../api/client.ts';
import { usePermission } from '../api/permissions.ts';
import { useAction } from '../api/use-action.ts';
import { Timestamp } from '../components/content/timestamp.tsx';
import { ConfirmButton } from '../components/dialogs/confirm-button.tsx';
import { Badge } from '../components/feedback/badge.tsx';
import { EmptyState } from '../components/feedback/empty-state.tsx';
import { QueryBoundary } from '../components/feedback/query-boundary.tsx';
import { Card } from '../components/layout/card.tsx';
import { texts } from '../texts.ts';

type Session = Schemas['AgentSession'];
type Change = Session['changes'][number];

const t = texts.agents;
const toolNames: Readonly<Record<string, string>> = t.tools;

/** Ids say nothing to a person. */
const isId = (value: string | null): boolean => value !== null && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value);

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
    <Card title={t.changed}>
      <QueryBoundary query={query}>
        {({ sessions }) =>
          sessions.length === 0 ? (
            <EmptyState title={t.nothingChanged} text={t.nothingChangedText} />
          ) : (
            <ul className="agent-sessions">
              {sessions.map((session) => (
                <li key={session.id} className="card-body stack">
                  <div className="actions">
                    <span className="two-lines">
                      <strong className="anywhere">{session.agent}</strong>
                      <span className="soft small">
                        <Timestamp at={session.last_at} />
                      </span>
                    </span>
                    <Undo session={session} />
                  </div>
                  <Changes changes={session.changes} />
                </li>
              ))}
            </ul>
          )
        }
      </QueryBoundary>
    </Card>
  );
}

function Changes({ changes }: { readonly changes: readonly Change[] }) {
  return (
    <details>
      <summary>{t.changeCount({ count: changes.length })}</summary>
      <ol className="stack tight">
        {changes.map(({ id, tool, name, values, state, reason }) => (
          <li key={id} className="small anywhere">
            <strong>{toolNames[tool] ?? tool}</strong> {name} {state === 'done' ? null : <Badge>{t.changeStates[state]}</Badge>}
            {values.map(({ field, before, after }) =>
              isId(before) || isId(after) ? null : (
                <div key={field} className="soft">
                  {field}: {before || '–'} → {after || '–'}
                </div>
              ),
            )}
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
