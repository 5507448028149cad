import { randomBytes } from 'node:crypto';
import { makeProject } from '../contract/fixtures.ts';
import { agency } from '../harness/agency.ts';
import { startPlatform, type TestPlatform } from '../harness/test-platform.ts';
import { Memory } from './runs/http/memory.ts';

const bodies = 4;
/** Room for two bodies being read, one of which is parsed, decoded and passed on, however many others wait. */
const maxGrowthMb = 600;

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform[Symbol.asyncDispose]());

test(`${bodies} concurrent bodies of 35 MB are published one after the other in bounded memory`, async () => {
  const { api } = await agency(platform.facts, { rateLimit: 1_000_000 });
  const content = randomBytes(25 * 1024 * 1024 - 1).toString('base64');
  const body = { builtFiles: { 'index.html': 'a', 'large.bin': { content, encoding: 'base64' } } };
  const projects = await Promise.all(Array.from({ length: bodies }, () => makeProject(api)));
  const watched = ['gateway', 'projects-templates'].map((name) => ({ name, memory: new Memory(platform.pid(name) ?? 0) }));
  const watching = watched.map(({ memory }) => memory.watch());
  const publish = async (id: string) => {
    // A publish that gets no room in time is answered 503 with Retry-After.
    for (;;) {
      const answer = await api.post(`/projects/${id}/publish`, body);
      if (answer.status !== 503) return answer.expect(200);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
  };
  await Promise.all(projects.map(({ id }) => publish(id)));
  for (const { memory } of watched) memory.stop();
  await Promise.all(watching);
  for (const { id } of projects) expect((await api.get(`/projects/${id}/deploys`)).expect(200).body.total).toBe(1);
  for (const { name, memory } of watched) {
    console.info(`${name} +${memory.growthMb} MB`);
    expect(memory.growthMb).toBeLessThan(maxGrowthMb);
  }
}, 600_000);
