import {
  type AgentOpening,
  type AgentScope,
  AppError,
  accessError,
  baseScope,
  defaultScope,
  type ToolSet,
  toolSets,
} from '@webkiln/contract';
import type { Principal } from '@webkiln/messages';
import { projectWithin } from '@webkiln/operations';
import { allPrepared, type PreparedTool, tools } from './agent-tool.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The tools that an address asks for: `/api/mcp?toolsets=sites,forms&read_only=true&project=…`. */
export class ToolSelection {
  /** As an address has it, the parts in one order; empty for the ten tools. */
  readonly text: string;
  readonly projectId: string | undefined;
  readonly #sets: ReadonlySet<ToolSet>;
  readonly #isReadOnly: boolean;

  private constructor(sets: ReadonlySet<ToolSet>, isReadOnly: boolean, projectId: string | undefined) {
    this.#sets = sets;
    this.#isReadOnly = isReadOnly;
    this.projectId = projectId;
    const parts = [
      ...(sets.size === 0 ? [] : [`toolsets=${toolSets.filter((set) => sets.has(set)).join(',')}`]),
      ...(isReadOnly ? ['read_only=true'] : []),
      ...(projectId === undefined ? [] : [`project=${projectId}`]),
    ];
    this.text = parts.join('&');
  }

  /** Reads the query of an address; whatever else stands there is ignored. Throws `validation_failed`. */
  static of(query: string): ToolSelection {
    if (query === '') return ToolSelection.none;
    const parameters = new URLSearchParams(query);
    const named = (parameters.get('toolsets') ?? '').split(',').filter((name) => name !== '');
    const unknown = named.find((name) => !(toolSets as readonly string[]).includes(name));
    if (unknown !== undefined) throw refused('toolsets', `must name some of ${toolSets.join(', ')}, with commas between`);
    const readOnly = parameters.get('read_only') ?? 'false';
    if (readOnly !== 'true' && readOnly !== 'false') throw refused('read_only', 'must be true or false');
    const project = parameters.get('project') ?? undefined;
    if (project !== undefined && !uuid.test(project)) throw refused('project', 'must be the id of a project');
    return new ToolSelection(new Set(named as ToolSet[]), readOnly === 'true', project?.toLowerCase());
  }

  /** The same for a credential of one project: it reaches that one alone, whichever the address names. */
  within(projectId: string): ToolSelection {
    return new ToolSelection(this.#sets, this.#isReadOnly, projectWithin(this.projectId ?? projectId, projectId));
  }

  /** The ten tools, and nothing else. */
  static readonly none = new ToolSelection(new Set(), false, undefined);

  get isDefault(): boolean {
    return this.text === '';
  }

  /** The tools of the connection, where the organization lets agents do `access`; undefined: nobody is known yet. */
  offered(access: AgentOpening | undefined): PreparedTool[] {
    return [...allPrepared.values()].filter((tool) => this.#offers(tool, access));
  }

  /** The tool with this name, if the connection has it. */
  find(name: string, access: AgentOpening | undefined): PreparedTool | undefined {
    if (this.isDefault) return tools.get(name);
    const tool = allPrepared.get(name);
    return tool !== undefined && this.#offers(tool, access) ? tool : undefined;
  }

  /** The tools that the address asks for, as if an owner let agents build and publish. */
  get asked(): PreparedTool[] {
    return this.offered(openAccess);
  }

  /** What a client should ask its person for, narrowest first. */
  get scopes(): readonly AgentScope[] {
    const base = this.#isReadOnly ? baseScope : defaultScope;
    const needed = this.asked.flatMap(({ prepared }) => prepared.access.agentScope ?? []);
    return [...new Set<AgentScope>([base, ...needed.filter((scope) => scope !== baseScope && scope !== defaultScope)])];
  }

  #offers({ set, isRead, schema }: PreparedTool, access: AgentOpening | undefined): boolean {
    if (this.#isReadOnly && !isRead) return false;
    if (this.projectId !== undefined && !('project_id' in schema.shape)) return false;
    return set === undefined || (this.#sets.has(set) && access?.can_build === true);
  }
}

const openAccess: AgentOpening = { is_enabled: true, disabled_tools: [], can_build: true };

const refused = (path: string, message: string) => new AppError('validation_failed', [{ path, message }]);

/**
 * True if a credential can ever call a tool. What its person can still allow counts: a client asks for a scope once a
 * call is refused for it.
 */
export function mayEverCall(principal: Principal, { prepared }: PreparedTool): boolean {
  const refusal = accessError(principal, prepared.access);
  return refusal === undefined || refusal.code === 'insufficient_scope';
}
