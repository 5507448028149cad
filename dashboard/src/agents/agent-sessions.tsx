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
/** Words for what the API names; what has none is shown as it is. */
type Words = Readonly<Record<string, string>>;
const toolNames: Words = t.tools;
const fieldNames: Words = t.changedFields;
const valueNames: Words = t.changedValues;
const fieldName = (field: string): string => fieldNames[field] ?? field;

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
        {changes.map(({ id, tool, name, values, state, reason_code, reason_names }) => (
          <li key={id} className="small anywhere">
            <strong>{toolNames[tool] ?? tool}</strong> {name} {state === 'done' ? null : <Badge>{t.changeStates[state]}</Badge>}
            {values.map((value) => (
              <div key={value.field} className="soft">
                {fieldName(value.field)}: {inWords(value)}
              </div>
            ))}
            {reason_code === null ? null : <div>{reasonInWords(reason_code, reason_names)}</div>}
          </li>
        ))}
      </ol>
    </details>
  );
}

/** `a → b`; one text where there was nothing before, or where ids stand for records. */
function inWords({ before, after }: Change['values'][number]): string {
  if (isId(before) || isId(after)) return t.changedRecord;
  const [old, now] = [before, after].map((value) => value && (valueNames[value] ?? value));
  return old ? `${old} → ${now || '–'}` : now || '–';
}

function reasonInWords(code: NonNullable<Change['reason_code']>, names: readonly string[]): string {
  const text = t.undoReasons[code];
  return typeof text === 'string' ? text : text({ names: names.map(fieldName).join(', ') });
}

function Undo({ session: { id, agent, changes } }: { readonly session: Session }) {
  const undo = useAction('agent-sessions', () =>
    readJson(api.POST('/account/agents/sessions/{toolSessionId}/undo', { params: { path: { toolSessionId: id } }, body: {} })),
  );
  if (changes.every(({ state }) => state === 'undone')) return null;
  return <ConfirmButton label={t.undo} title={`${t.undo}: ${agent}`} text={t.undoText} action={() => undo.mutateAsync()} />;
}
