import { setTimeout as pause } from 'node:timers/promises';
import { nextDayTimeoutMs, withinOneDay } from '@webkiln/store/testing';
import { end, useViews } from '../testing/counted-views.ts';
import { type Expected, SyntheticViews } from '../testing/synthetic-views.ts';

const { publish, startProcess, allCounted, siteDay } = useViews();

/** Statistics are per day. */
beforeAll(() => withinOneDay(200_000), nextDayTimeoutMs);

const exactSites = Array.from({ length: 12 }, (_, index) => `small-${index}`);
const largeSite = 'large';

async function expectStats(site: string, { views, bots, pages }: Expected): Promise<void> {
  const stats = await siteDay(site);
  expect([site, stats?.views, stats?.bots]).toEqual([site, views, bots]);
  const [names, counts]: [string[], number[]] = JSON.parse(stats?.pages ?? '');
  expect(Object.fromEntries(names.map((name, rank) => [name, counts[rank]]))).toEqual(Object.fromEntries(pages));
}

test('20,000 views with repeats count exactly once while workers are killed and paused again and again', async () => {
  const small = new SyntheticViews({ seed: 1, sites: exactSites.map((name) => ({ name, visitors: 600 })) });
  const large = new SyntheticViews({ seed: 2, sites: [{ name: largeSite, visitors: 8_000 }] });
  const workers = [await startProcess(), await startProcess()];
  const pieces = Array.from({ length: 10 }, (_, piece) => piece);
  for (const piece of pieces) {
    await Promise.all([publish(small.next(1_000)), publish(large.next(1_000))]);
    const victim = workers[piece % 2];
    if (victim === undefined) continue;
    if (piece % 3 === 2) {
      // Long enough for another worker to take over. The paused one resumes with its outdated cache.
      victim.kill('SIGSTOP');
      await pause(6_000);
      victim.kill('SIGCONT');
    } else {
      await pause(Math.floor(Math.random() * 800));
      await end(victim, 'SIGKILL');
      workers[piece % 2] = await startProcess();
    }
  }
  await allCounted();
  for (const [site, expected] of [...small.expected, ...large.expected]) await expectStats(site, expected);
  for (const [site, { visitors }] of small.expected) expect([site, (await siteDay(site))?.uniques]).toEqual([site, visitors.size]);
  const uniques = (await siteDay(largeSite))?.uniques ?? 0;
  const exact = large.expected.get(largeSite)?.visitors.size ?? 0;
  expect(Math.abs(uniques / exact - 1)).toBeLessThanOrEqual(0.03);
});
