import { useQuery } from '@tanstack/react-query';
import { api, readJson, type Schemas } from '../api/client.ts';
import { usePermission } from '../api/permissions.ts';
import { useAction } from '../api/use-action.ts';
import { ProblemNotice } from '../components/feedback/problem-notice.tsx';
import { QueryBoundary } from '../components/feedback/query-boundary.tsx';
import { Checkbox } from '../components/forms/checkbox.tsx';
import { Toggle } from '../components/forms/toggle.tsx';
import { Card } from '../components/layout/card.tsx';
import { texts } from '../texts.ts';

type AgentAccess = Schemas['AgentAccess'];
type Tool = AgentAccess['disabled_tools'][number];

const t = texts.agents;
const toolNames: Readonly<Record<Tool, string>> = t.tools;
const tools = Object.keys(toolNames) as Tool[];
/** The first ten; the others need an owner's permission, and an address that asks for them. */
const ofEveryConnection = 10;

/** What agents may do in the organization. Each change takes effect at once; only owners can make one. */
export function AgentAccessCard() {
  const query = useQuery({ queryKey: ['agent-access'], queryFn: () => readJson(api.GET('/account/agent-access')) });
  const change = useAction('agent-access', (body: Partial<AgentAccess>) => readJson(api.PATCH('/account/agent-access', { body })));
  // A switch shows what was chosen while it is saved.
  const chosen = change.isPending ? change.variables : {};
  return (
    <Card title={t.access} padded>
      <ProblemNotice error={change.error} />
      <QueryBoundary query={query}>
        {({ agent_access }) => <Switches access={{ ...agent_access, ...chosen }} onChange={change.mutate} />}
      </QueryBoundary>
    </Card>
  );
}

interface SwitchesProps {
  readonly access: AgentAccess;
  readonly onChange: (change: Partial<AgentAccess>) => void;
}

function Switches({ access, onChange }: SwitchesProps) {
  const isOwner = usePermission('switchAgents');
  const { is_enabled, can_build, should_ask_first } = access;
  return (
    <div className="stack">
      <Toggle isSelected={is_enabled} isDisabled={!isOwner} onChange={(isOn) => onChange({ is_enabled: isOn })}>
        {t.enabled}
      </Toggle>
      <p className="soft small">{t.askFirstText}</p>
      <Tools names={tools.slice(0, ofEveryConnection)} access={access} onChange={onChange} />
      <Toggle isSelected={can_build} isDisabled={!isOwner || !is_enabled} onChange={(isOn) => onChange({ can_build: isOn })}>
        {t.canBuild}
      </Toggle>
      <p className="soft small">{t.canBuildText}</p>
      {can_build ? (
        <>
          <Toggle
            isSelected={should_ask_first}
            isDisabled={!isOwner || !is_enabled}
            onChange={(isOn) => onChange({ should_ask_first: isOn })}
          >
            {t.shouldAsk}
          </Toggle>
          <p className="soft small">{t.shouldAskText}</p>
          <Tools names={tools.slice(ofEveryConnection)} access={access} onChange={onChange} />
        </>
      ) : null}
      {isOwner ? null : <p className="soft">{t.ownersOnly}</p>}
    </div>
  );
}

/** For each of the tools, whether agents may call it, and whether they ask first. */
function Tools({ names, access, onChange }: SwitchesProps & { readonly names: readonly Tool[] }) {
  const isOwner = usePermission('switchAgents');
  const { is_enabled, disabled_tools, ask_first_tools } = access;
  const without = (list: readonly Tool[], tool: Tool) => list.filter((name) => name !== tool);
  return (
    <ul className="agent-tools">
      {names.map((tool) => (
        <li key={tool} className="agent-tool">
          <Checkbox
            isSelected={!disabled_tools.includes(tool)}
            isDisabled={!isOwner || !is_enabled}
            onChange={(isOn) => onChange({ disabled_tools: [...without(disabled_tools, tool), ...(isOn ? [] : [tool])] })}
          >
            {toolNames[tool]}
          </Checkbox>
          <Checkbox
            aria-label={t.askFirstOf({ tool: toolNames[tool] })}
            isSelected={ask_first_tools.includes(tool)}
            isDisabled={!isOwner || !is_enabled || disabled_tools.includes(tool)}
            onChange={(isAsked) => onChange({ ask_first_tools: [...without(ask_first_tools, tool), ...(isAsked ? [tool] : [])] })}
          >
            {t.askFirst}
          </Checkbox>
        </li>
      ))}
    </ul>
  );
}
