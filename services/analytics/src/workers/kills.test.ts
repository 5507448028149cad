import { setTimeout as pause } from 'node:timers/promises';
import { withinOneDay } from '@webkiln/store/testing';
import { end, useViews } from '../testing/counted-views.ts';
import { type Expected, SyntheticViews } from '../testing/synthetic-views.ts';

const { publish, startProcess, allCounted, siteDay } = useViews();

/** Figures are those of a day. */
beforeAll(() => withinOneDay(200_000));

const exactSites = Array.from({ length: 12 }, (_, index) => `small-${index}`);
const largeSite = 'large';

async function expectFigures(site: string, { views, bots, pages }: Expected): Promise<void> {
  const figures = await siteDay(site);
  expect([site, figures?.views, figures?.bots]).toEqual([site, views, bots]);
  const [names, counts]: [string[], number[]] = JSON.parse(figures?.pages ?? '');
  expect(Object.fromEntries(names.map((name, rank) => [name, counts[rank]]))).toEqual(Object.fromEntries(pages));
}

test('50,000 views with repeats, counted by workers that are killed and paused again and again, are counted once each', async () => {
  const small = new SyntheticViews({ seed: 1, sites: exactSites.map((name) => ({ name, visitors: 900 })) });
  const large = new SyntheticViews({ seed: 2, sites: [{ name: largeSite, visitors: 20_000 }] });
  const workers = [await startProcess(), await startProcess()];
  const pieces = Array.from({ length: 10 }, (_, piece) => piece);
  for (const piece of pieces) {
    await Promise.all([publish(small.next(2_500)), publish(large.next(2_500))]);
    const victim = workers[piece % 2];
    if (victim === undefined) continue;
    if (piece % 3 === 2) {
      // Long enough for the others to take over; it goes on with what it remembers when it wakes.
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
  for (const [site, expected] of [...small.expected, ...large.expected]) await expectFigures(site, expected);
  for (const [site, { visitors }] of small.expected) expect([site, (await siteDay(site))?.uniques]).toEqual([site, visitors.size]);
  const uniques = (await siteDay(largeSite))?.uniques ?? 0;
  const exact = large.expected.get(largeSite)?.visitors.size ?? 0;
  expect(Math.abs(uniques / exact - 1)).toBeLessThanOrEqual(0.03);
});
