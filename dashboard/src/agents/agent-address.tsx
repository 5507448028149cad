import { useQuery } from '@tanstack/react-query';
import { api, readJson } from '../api/client.ts';
import { Checkbox } from '../components/forms/checkbox.tsx';
import { SearchableOptions } from '../components/forms/searchable-options.tsx';
import { Select } from '../components/forms/select.tsx';
import { texts } from '../texts.ts';

const t = texts.agents;
type ToolSet = keyof typeof t.sets;
const toolSets = Object.keys(t.sets) as ToolSet[];

/** What a connection is for. */
export interface Asked {
  readonly sets: readonly ToolSet[];
  readonly isReadOnly: boolean;
  /** Empty for all projects. */
  readonly projectId: string;
}

export const asksForTheTen: Asked = { sets: [], isReadOnly: false, projectId: '' };

/** The address of the MCP server at `url` that asks for it. */
export function addressOf(url: string, { sets, isReadOnly, projectId }: Asked): string {
  const parts = [
    ...(sets.length === 0 ? [] : [`toolsets=${toolSets.filter((set) => sets.includes(set)).join(',')}`]),
    ...(isReadOnly ? ['read_only=true'] : []),
    ...(projectId === '' ? [] : [`project=${projectId}`]),
  ];
  return parts.length === 0 ? url : `${url}?${parts.join('&')}`;
}

interface Props {
  readonly asked: Asked;
  readonly onChange: (asked: Asked) => void;
}

/** Makes the address of a connection by ticking what it is for. */
export function AgentAddress({ asked, onChange }: Props) {
  const access = useQuery({ queryKey: ['agent-access'], queryFn: () => readJson(api.GET('/account/agent-access')) });
  const projects = useQuery({
    queryKey: ['projects', 'of-agents'],
    queryFn: () => readJson(api.GET('/projects', { params: { query: { limit: 100 } } })),
  });
  const canBuild = access.data?.agent_access.can_build === true;
  const switchSet = (set: ToolSet, isOn: boolean) =>
    onChange({ ...asked, sets: [...asked.sets.filter((each) => each !== set), ...(isOn ? [set] : [])] });
  const options = (projects.data?.projects ?? []).map(({ id, name }) => ({ id, label: name }));
  return (
    <fieldset className="asked">
      <legend>{t.toolsets}</legend>
      {canBuild ? null : <p className="soft small">{t.toolsetsClosed}</p>}
      <div className="form-row tight">
        {toolSets.map((set) => (
          <Checkbox key={set} isSelected={asked.sets.includes(set)} isDisabled={!canBuild} onChange={(isOn) => switchSet(set, isOn)}>
            {t.sets[set]}
          </Checkbox>
        ))}
      </div>
      <Checkbox isSelected={asked.isReadOnly} onChange={(isReadOnly) => onChange({ ...asked, isReadOnly })}>
        {t.readOnly}
      </Checkbox>
      <Select
        label={t.oneProject}
        options={[{ id: 'all', label: t.allProjects }, ...options]}
        list={SearchableOptions}
        value={asked.projectId || 'all'}
        onChange={(id) => onChange({ ...asked, projectId: id === 'all' ? '' : id })}
      />
    </fieldset>
  );
}
