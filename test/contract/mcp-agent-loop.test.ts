import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js';
import { type Agency, agency } from '../harness/agency.ts';
import { Agent } from '../harness/agent.ts';
import { makeProject, makeTemplate, someEmail } from './fixtures.ts';

type Facts = Record<string, unknown>;
type Values = Readonly<Record<string, unknown>>;

const maxCalls = 10;
const maxTokens = 20_000;
/** JSON has more characters a token than this. */
const charactersPerToken = 2;

/**
 * An agent without a model. It knows no name of a tool, argument or field: it picks tools by their descriptions, fills
 * in arguments by the names in their schemas, learns from results, and does what errors say.
 */
class ModelFreeAgent {
  calls = 0;
  characters = 0;
  readonly #client: Client;
  readonly #tools: readonly Tool[];
  readonly #facts: Facts;

  constructor(client: Client, tools: readonly Tool[], facts: Facts) {
    this.#client = client;
    this.#tools = tools;
    this.#facts = facts;
  }

  /** Uses the tool whose description says that it is for `purpose`; `onRefusal` is what people do meanwhile. */
  async use(purpose: RegExp, onRefusal: () => Promise<void> = () => Promise.reject(new Error('refused'))): Promise<Values> {
    const [tool, ...others] = this.#tools.filter(({ description = '' }) => purpose.test(description));
    if (tool === undefined || others.length > 0) throw new Error(`${purpose} finds ${others.length + 1} tools`);
    const result = await this.#call(tool);
    if (result.isError !== true) return result.structuredContent as Values;
    const advice = JSON.stringify(result.content);
    const named = this.#tools.find(({ name, annotations }) => annotations?.readOnlyHint === true && advice.includes(name));
    if (named === undefined) throw new Error(`the error names no tool that helps: ${advice}`);
    await onRefusal();
    await this.#call(named);
    return this.use(purpose);
  }

  async #call(tool: Tool): Promise<CallToolResult> {
    const { properties = {}, required = [] } = tool.inputSchema;
    const given = Object.fromEntries(Object.keys(properties).flatMap((name) => (name in this.#facts ? [[name, this.#facts[name]]] : [])));
    for (const name of required) if (!(name in given)) throw new Error(`${tool.name} needs ${name}, which is not known`);
    const result = (await this.#client.callTool({ name: tool.name, arguments: given })) as CallToolResult;
    this.calls += 1;
    this.characters += JSON.stringify(result).length;
    this.#learn((result.structuredContent ?? {}) as Values);
    return result;
  }

  /** `client: { email }` is a client_email; of a list, the only record, or the one that the user named. */
  #learn(structure: Values): void {
    for (const [name, value] of Object.entries(structure)) {
      if (typeof value !== 'object' || value === null) continue;
      const record = Array.isArray(value) ? value.find((each) => value.length === 1 || each.name === this.#facts.wanted) : value;
      const noun = Array.isArray(value) ? name.replace(/s$/, '') : name;
      for (const [field, known] of Object.entries(record ?? {})) this.#facts[`${noun}_${field}`] ??= known;
    }
  }
}

let ours: Agency;
beforeAll(async () => {
  ours = await agency();
});

test('an agent that follows descriptions, schemas and results alone gets a client, a site from a template, its links and its figures', async () => {
  const source = await makeProject(ours.api);
  await ours.writeDraft(source.id, { 'index.html': '<h1>Bakery</h1>' });
  await makeTemplate(ours.api, { name: 'Empty' });
  const template = await makeTemplate(ours.api, { name: 'Bakery', source_project_id: source.id });
  const client = new Client({ name: 'loop', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${ours.api.key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(new Agent(undefined).url), { requestInit }));
  const { tools } = await client.listTools();
  const email = someEmail();
  const agent = new ModelFreeAgent(client, tools, { email, name: 'Boulangerie', wanted: 'Bakery' });

  const invited = (await agent.use(/add a client/)) as { client: { id: string } };
  await agent.use(/what a new project starts from/);
  const activate = async () => void (await ours.api.patch(`/clients/${invited.client.id}`, { status: 'active' })).expect(200);
  const { project } = (await agent.use(/start a website/, activate)) as { project: { id: string } };
  const links = await agent.use(/show a project to somebody/);
  const figures = await agent.use(/how often published sites were viewed/);
  await client.close();

  expect(project).toMatchObject({ name: 'Boulangerie', template: template.id, org_client_id: invited.client.id });
  expect(links.builder_url).toContain(project.id);
  expect(figures).toMatchObject({ analytics: { totalViews: 0 } });
  expect(agent.calls).toBeLessThanOrEqual(maxCalls);
  expect(agent.characters / charactersPerToken).toBeLessThanOrEqual(maxTokens);
});
