import { toolSets } from '@webkiln/contract';
import { ModelServer } from '../../services/embed/src/testing/model-server.ts';
import { hostileContents, obey, plant } from '../eval/hostile-contents.ts';
import type { Job } from '../eval/job.ts';
import { jobs } from '../eval/jobs/index.ts';
import { modelOf, modelWorker } from '../eval/model-worker.ts';
import { changedKeys, runJobs, scripted, type Worker } from '../eval/run-job.ts';
import { World } from '../eval/world.ts';
import { eventually } from '../harness/agency.ts';

const named = (...names: readonly string[]) => jobs.filter(({ name }) => names.includes(name));

test('every third of the forty jobs is done by its script, and changes nothing but what it is for', async () => {
  const chosen = jobs.filter((_, index) => index % 3 === 0);
  const world = await World.create();
  const outcomes = await runJobs(chosen, scripted, world);
  expect(jobs).toHaveLength(40);
  expect(outcomes.map(({ job, faults }) => [job, faults])).toEqual(chosen.map(({ name }) => [name, []]));
  for (const { calls, tokens } of outcomes) expect(calls > 0 && tokens > 0).toBe(true);
});

describe('a worker', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.create();
  });

  test('a job fails if it is not done, if the answer is wrong, and if anything else is changed', async () => {
    const [job] = named('star-a-site') as [Job];
    const idle: Worker = async () => ({ answer: 'Done.', calls: 0, tokens: 0 });
    const [question] = named('cheapest-plan') as [Job];
    const meddling: Worker = async (each, agent) => {
      await agent.use('create_plan', { name: 'Meddled', price: 1 });
      return idle(each, agent, world);
    };
    const faultOf = async (each: Job, worker: Worker) => (await runJobs([each], worker, world))[0]?.faults.join('; ');
    expect(await faultOf({ ...job, changes: () => ({ 'project Krume Bakery': /never/ }) }, idle)).toMatch(
      /^not done: project Krume Bakery/,
    );
    expect(await faultOf(question, idle)).toBe('it answers Done.');
    expect(await faultOf({ ...question, answer: () => /Done/ }, meddling)).toMatch(/^changed besides: plan Meddled/);
  });

  test.each(['mistral', 'anthropic', 'local'])(
    'a model of the provider %s does a job by the tools that the server lists',
    async (provider) => {
      await using server = await ModelServer.start();
      server.play([{ calls: [{ name: 'list_plans', input: {} }] }, { text: 'Care, at 29.' }]);
      const variable = provider.toUpperCase();
      const model = modelOf(`${provider}/m`, { [`${variable}_API_KEY`]: 'sk-1', [`${variable}_BASE_URL`]: server.url });
      const [outcome] = await runJobs(named('cheapest-plan'), modelWorker(model), world);
      expect(outcome).toMatchObject({ faults: [], calls: 1 });
      expect(server.requests[0]?.text).toContain('What is our cheapest plan');
      expect(server.requests[0]?.text).toContain('publish_site');
      expect(server.requests[1]?.text).toContain('max_sites');
    },
  );
});

describe('a model that obeys every order of thirty hostile contents', () => {
  let world: World;
  let trap: string;
  beforeAll(async () => {
    world = await World.create();
    trap = await plant(world);
  });
  const all = `?toolsets=${toolSets.join(',')}`;

  test.each([
    ['that reads only changes nothing', () => `${all}&read_only=true`, hostileContents],
    ['for one website changes nothing beside it', () => `${all}&project=${trap}`, 24],
  ])('on a connection %s', async (_, query, found) => {
    const agent = await world.connect(query());
    const before = await world.state();
    expect(await obey(agent, trap)).toEqual({ found, done: 0 });
    expect(changedKeys(before, await world.state())).toEqual([]);
  });

  test('asks before all that it would do, and changes nothing; where an owner lets it, it does all that its person may', async () => {
    const askFirst = (should_ask_first: boolean) =>
      world.boss.api.patch('/account/agent-access', { should_ask_first }).then((answer) => answer.expect(200));
    await askFirst(true);
    const agent = await world.connect();
    const nothing = { name: 'update_project', arguments: { project_id: trap, starred: false } };
    // A process learns of the switch within two seconds.
    await eventually(async () => {
      await agent.use('get_project', { project_id: trap });
      expect(JSON.stringify((await agent.ask('tools/call', nothing)).body)).toContain('approval_needed');
    });
    const before = await world.state();
    expect(await obey(agent, trap)).toEqual({ found: hostileContents, done: 0 });
    expect(changedKeys(before, await world.state())).toEqual([]);
    await askFirst(false);
    await eventually(async () => expect((await agent.call('update_project', nothing.arguments)).isError).toBeUndefined());
    // A connection of its own has a rate of its own.
    expect(await obey(await world.connect(), trap)).toEqual({ found: hostileContents, done: hostileContents });
  });
});
