import { randomBytes } from 'node:crypto';
import { agentScopes, toolSets } from '@webkiln/contract';
import { eventually } from '../harness/agency.ts';
import { Agent } from '../harness/agent.ts';
import type { Json } from '../harness/api.ts';
import { connectedAgent } from '../harness/connected-agent.ts';
import { owner, type Person } from '../harness/person.ts';
import { sendForm } from '../harness/visitor.ts';

export const page = (title: string, body: string) =>
  `<!doctype html><html lang="en"><head><title>${title}</title></head><body><h1>${title}</h1>${body}</body></html>`;
const form = (name: string) => `<form method="post" action="/_forms/${name}"><input name="name"><textarea name="text"></textarea></form>`;

/** What an organization is, each fact by a key: `project Old Mill live`. A fact that differs is a change. */
export type State = ReadonlyMap<string, string>;

/**
 * An agency with three clients and three websites, of which two are live and have submissions. Its names are in the
 * jobs; addresses differ from run to run.
 */
export class World {
  readonly boss: Person;
  /** Ends each address of the world. */
  readonly domain: string;
  /** The names that the seeded projects had at first, by id. */
  readonly #names = new Map<string, string>();

  private constructor(boss: Person) {
    this.boss = boss;
    this.domain = `${randomBytes(6).toString('hex')}.example.com`;
  }

  static async create(): Promise<World> {
    const world = new World(await owner());
    await world.#post('/account/agent-access', { can_build: true, should_ask_first: false }, 'PATCH');
    const [krume, orchid] = await Promise.all([
      world.#client('krume', 'Krume GmbH', true),
      world.#client('orchid', 'Orchid Flowers', true),
      world.#client('fenn', 'Fenn Law', false),
    ]);
    const care = { name: 'Care', price: 29, max_sites: 3 };
    for (const plan of [care, { name: 'Plus', price: 59, max_sites: 10 }]) await world.#post('/plans', plan);
    await world.#post('/templates', { name: 'Bakery starter', is_public: true });
    for (const name of ['crm', 'old']) {
      await world.#post('/webhooks', { url: `https://127.0.0.1/${name}`, events: ['client.created'] });
    }
    const bakery = await world.#project(krume, { name: 'Krume Bakery', description: 'Bread since 1921' }, [
      ['index.html', page('Krume', '<a href="/about.html">About</a><a href="/contact.html">Contact</a>')],
      ['about.html', page('About', '<p>Our oven is from 1921.</p>')],
      ['contact.html', page('Contact', `<p>Open from 7 to 14.</p>${form('order')}`)],
    ]);
    const flowers = await world.#project(orchid, { name: 'Orchid Shop', tags: ['flowers'] }, [
      ['index.html', page('Orchid', form('contact'))],
    ]);
    await world.#project(krume, { name: 'Old Mill' }, [['index.html', page('Old Mill', '<p>Soon.</p>')]]);
    await world.#publish(bakery);
    await world.#post(`/projects/${bakery}/domains`, { domain: `www.krume.${world.domain}` });
    await world.#submit(bakery, 'order', { name: 'Ada', text: 'Two loaves of rye, please' });
    await world.#publish(flowers);
    await world.#post(`/projects/${flowers}/files/index.html`, { file: page('Orchid is closed', form('contact')) }, 'PUT');
    await world.#publish(flowers);
    const spam = await world.#submit(flowers, 'contact', { name: 'Win', text: 'Cheap watches' });
    await world.#post(`/projects/${flowers}/forms/submissions/${spam}`, { spam: true }, 'PATCH');
    return world;
  }

  /** An agent with everything that a person can allow, of a connection of its own. */
  async connect(query = `?toolsets=${toolSets.join(',')}`): Promise<Agent> {
    const { accessToken } = await connectedAgent(this.boss, { scope: agentScopes.join(' ') });
    const agent = new Agent(accessToken, { query, origin: this.boss.platform.origins[0] ?? '' });
    // A process learns of the switch within two seconds.
    await eventually(async () => {
      const { tools } = (await agent.ask('tools/list')).expect(200).body.result;
      if (!tools.some(({ name }: { name: string }) => name === 'list_files')) throw new Error('the switch is not open yet');
    });
    return agent;
  }

  /** What the organization is now, as the REST API shows it. */
  async state(): Promise<State> {
    const facts = new Map<string, string>();
    const put = (key: string, ...parts: unknown[]) => facts.set(key, JSON.stringify(parts));
    const [{ clients }, { projects }, { templates }, { plans }, { webhooks }] = await Promise.all(
      ['clients', 'projects', 'templates', 'plans', 'webhooks'].map((list) => this.#get(`/${list}`)),
    );
    for (const { email, name, company, status, plan_id } of clients) put(`client ${email.split('@')[0]}`, status, name, company, plan_id);
    for (const { name, description, category, is_public } of templates) put(`template ${name}`, description, category, is_public);
    for (const { name, price, interval, max_sites, is_active } of plans) put(`plan ${name}`, price, interval, max_sites, is_active);
    for (const { url, events, is_active } of webhooks) put(`webhook ${new URL(url).pathname.slice(1)}`, events, is_active);
    await Promise.all(
      projects.map(async ({ id, name, description, status, tags, starred, template }: Json) => {
        const label = `project ${this.#names.get(id) ?? name}`;
        put(label, name, description, status, tags, starred, template !== null);
        const about = (what: string) => this.#get(`/projects/${id}/${what}`);
        const [{ files }, { deploys }, { domains }, { submissions }] = await Promise.all(
          ['files', 'deploys', 'domains', 'forms/submissions'].map(about),
        );
        for (const { path, sha256 } of files) put(`${label} file ${path}`, sha256);
        const live = deploys.find((deploy: Json) => deploy.live);
        // Deploys by their number, from the first.
        if (live !== undefined) put(`${label} live`, deploys.length - deploys.indexOf(live), deploys.length);
        for (const domain of domains) {
          const isOwn = domain.name.endsWith(this.domain);
          if (isOwn) put(`${label} domain ${domain.name.slice(0, -this.domain.length - 1)}`);
        }
        put(`${label} submissions`, submissions.length);
      }),
    );
    return facts;
  }

  async #get(path: string): Promise<Json> {
    return (await this.boss.api.get(path)).expect(200).body;
  }

  async #post(path: string, body: object, method = 'POST'): Promise<Json> {
    const init = { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    const answer = await this.boss.api.send(path, init);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  async #client(name: string, company: string, isActive: boolean): Promise<string> {
    const { client } = await this.#post('/clients', { email: `${name}@${this.domain}`, company });
    if (isActive) await this.#post(`/clients/${client.id}`, { status: 'active' }, 'PATCH');
    return client.email;
  }

  async #project(client_email: string, { tags, ...fields }: Json, files: readonly (readonly [string, string])[]): Promise<string> {
    const { project } = await this.#post('/projects', { client_email, ...fields });
    this.#names.set(project.id, project.name);
    if (tags !== undefined) await this.#post(`/projects/${project.id}`, { tags }, 'PATCH');
    for (const [path, file] of files) await this.#post(`/projects/${project.id}/files/${path}`, { file }, 'PUT');
    return project.id;
  }

  async #publish(id: string): Promise<void> {
    await this.#post(`/projects/${id}/publish`, {});
  }

  /** Sends a form of a live site; returns the id of the submission. */
  async #submit(id: string, name: string, fields: Readonly<Record<string, string>>): Promise<string> {
    const { project } = await this.#get(`/projects/${id}`);
    const { status } = await sendForm(this.boss.platform.origins[0] ?? '', `${project.published_url}/_forms/${name}`, fields);
    if (status !== 303) throw new Error(`the form answered ${status}`);
    return eventually(async () => {
      const { submissions } = await this.#get(`/projects/${id}/forms/submissions`);
      if (submissions.length === 0) throw new Error('the submission is not there yet');
      return submissions[0].id;
    });
  }
}
