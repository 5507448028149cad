import { agency } from '../harness/agency.ts';
import { Agent } from '../harness/agent.ts';
import { PythonProgram } from '../harness/python-program.ts';
import { makeProject, makeTemplate, someEmail } from './fixtures.ts';

const maxCalls = 10;
const maxTokens = 20_000;
/** JSON has more characters a token than this, so that dividing by it never counts too few tokens. */
const charactersPerToken = 2;

test.each([
  ['auto', '2026-07-28'],
  ['legacy', '2025-11-25'],
])(
  'an agent that follows descriptions, schemas and results alone gets a client, a site from a template, its links and its figures (official Python client, %s: %s)',
  async (mode, revision) => {
    const ours = await agency();
    const source = await makeProject(ours.api);
    await ours.writeDraft(source.id, { 'index.html': '<h1>Bakery</h1>' });
    await makeTemplate(ours.api, { name: 'Empty' });
    const template = await makeTemplate(ours.api, { name: 'Bakery', source_project_id: source.id });
    await using agent = await PythonProgram.start('agent_loop.py');
    const facts = { email: someEmail(), name: 'Boulangerie', wanted: 'Bakery' };
    expect(await agent.ask({ url: new Agent(undefined).url, key: ours.api.key, mode, facts })).toEqual({ revision });

    const { content: invited } = await agent.ask({ purpose: 'add a client' });
    await agent.ask({ purpose: 'what a new project starts from' });
    const { refused } = await agent.ask({ purpose: 'start a website' });
    expect(refused).toMatch(/^client_not_active/);
    (await ours.api.patch(`/clients/${invited.client.id}`, { status: 'active' })).expect(200);
    const { content: started } = await agent.ask({ activated: invited.client.id });
    const { content: links } = await agent.ask({ purpose: 'show a project to somebody' });
    const { content: figures, calls, characters } = await agent.ask({ purpose: 'how often published sites were viewed' });

    expect(started.project).toMatchObject({ name: 'Boulangerie', template: template.id, org_client_id: invited.client.id });
    expect(links.builder_url).toContain(started.project.id);
    expect(figures).toMatchObject({ analytics: { totalViews: 0 } });
    expect(calls).toBeLessThanOrEqual(maxCalls);
    expect(characters / charactersPerToken).toBeLessThanOrEqual(maxTokens);
  },
);
