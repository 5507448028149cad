import { randomUUID } from 'node:crypto';
import { owner, Person } from '../../../../harness/person.ts';
import { type NextRequest, RequestLoops } from '../means/request-loops.ts';
import type { Nuisance, RunningNuisance, Scene } from '../nuisance.ts';

const people = 3;
const mb = 1024 * 1024;
/** A body near the limit, and a style sheet that slow expressions take longest for. */
const largeSite = { 'index.html': 'page', 'large.txt': 'x'.repeat(20 * mb), 'a.css': 'url('.repeat((512 * 1024) / 4) };

/** Somebody who joined by a link of an agency, and has a project there. */
interface Stranger {
  readonly headers: Readonly<Record<string, string>>;
  readonly projectId: string;
}

/** People with fresh accounts that join an agency by its link, and then do all that they may, and more, at once. */
class Strangers implements Nuisance {
  readonly name = 'strangers';
  readonly what = 'strangers who joined another agency join on, chat, publish 22 MB, rename sites and ask for unknown hosts at full rate';
  readonly unbounded = 'each has a bound of its own: the shares of joined clients, slots of large bodies, renames of a day, unknown names';
  #strangers: readonly Stranger[] = [];

  async prepare({ facts }: Scene): Promise<void> {
    const boss = await owner({ platform: facts });
    const plan = (await boss.api.post('/plans', { name: 'Free', price: 0, max_sites: 3 })).expect(201).body.plan;
    (await boss.api.patch(`/plans/${plan.id}`, { is_default: true })).expect(200);
    const link = (await boss.api.post('/account/build-links', { prompt: 'A bakery', allows_joining: true })).expect(201).body.build_link;
    this.#strangers = await Promise.all(Array.from({ length: people }, () => joinedStranger({ facts, linkId: link.id })));
  }

  async start({ facts }: Scene): Promise<RunningNuisance> {
    const [origin = ''] = facts.origins;
    const { hostname } = new URL(facts.sitesOrigin);
    const publish = JSON.stringify({ builtFiles: largeSite });
    let count = 0;
    const one = (): Stranger => this.#strangers[count++ % people] as Stranger;
    type Wanted = Omit<NextRequest, 'headers'>;
    const loop = (inFlight: number, next: (stranger: Stranger) => Wanted) =>
      new RequestLoops({
        ...{ origin, inFlight },
        next() {
          const stranger = one();
          return { ...next(stranger), headers: { ...stranger.headers, 'content-type': 'application/json' } };
        },
      });
    const unknownHost = () => `${randomUUID()}.${count++ % 2 === 0 ? hostname : 'example.com'}`;
    const post = (path: string, body: unknown) => ({ method: 'POST' as const, path: `/api/v1${path}`, body: JSON.stringify(body) });
    const loops = {
      joins: loop(4, () => post('/account/join', { build_link_id: randomUUID() })),
      messages: loop(4, ({ projectId }) => post(`/projects/${projectId}/chat`, { message: 'build a bakery site in Lyon' })),
      publishes: loop(4, ({ projectId }) => ({ method: 'POST', path: `/api/v1/projects/${projectId}/publish`, body: publish })),
      renames: loop(4, ({ projectId }) => post(`/projects/${projectId}/domains`, { subdomain: `site-${randomUUID().slice(0, 8)}` })),
      'unknown hosts': new RequestLoops({ origin, inFlight: 8, next: () => ({ path: '/', headers: { host: unknownHost() } }) }),
    };
    const all = Object.entries(loops);
    return {
      get attempts() {
        return all.reduce((sum, [, { answered }]) => sum + answered, 0);
      },
      async stop() {
        await Promise.all(all.map(([, each]) => each.stop()));
        const passed = ({ statuses }: RequestLoops) => (statuses.get(200) ?? 0) + (statuses.get(201) ?? 0);
        return all.map(([name, each]) => `${each.answered} ${name} (${passed(each)} passed)`).join(', ');
      },
    };
  }
}

async function joinedStranger({ facts, linkId }: { facts: Scene['facts']; linkId: string }): Promise<Stranger> {
  const person = new Person({ platform: facts });
  (await person.signUp({})).expect(200);
  await person.confirmEmail();
  const { organization_id } = (await person.api.post('/account/join', { build_link_id: linkId })).expect(200).body;
  (await person.api.post('/account/session/organization', { organization_id })).expect(200);
  const { project } = (await person.api.post('/account/build', { name: 'Rye' })).expect(201).body;
  (await person.api.post(`/projects/${project.id}/publish`, { builtFiles: { 'index.html': 'page' } })).expect(200);
  const { 'x-forwarded-for': _, ...headers } = person.headers();
  return { headers, projectId: project.id };
}

export const strangers: Nuisance = new Strangers();
