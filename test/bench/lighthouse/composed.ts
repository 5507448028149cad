import { compose } from '@webkiln/composer';
import { closePeers } from '@webkiln/rpc';
import { chromiumPath } from '../../harness/browser.ts';
import type { Bench } from '../bench.ts';
import { installPackage } from '../install-package.ts';
import { connectOperator } from '../organization.ts';
import { startBenchPlatform } from '../platform.ts';
import { median } from '../report.ts';
import { publishSite } from '../sites/publish-site.ts';
import { type Audit, audit } from './audit.ts';
import { lighthouseVersion } from './version.ts';

const port = 18_130;
const wanted = 95;
/** One per direction of the composer, each of another kind of business. */
const prompts = [
  'editorial website for a restaurant in Lisbon',
  'swiss grid website for an architect in Basel',
  'build a bakery site in Lyon, craft',
  'poster style gym in Leeds',
  'quiet luxury hotel in Sevilla',
  'electrician in Turin, technical',
  'playful vet in Dublin',
  'Bar in Wien, nachtlich',
  'dentist in Graz, clear',
  'Fleuriste à Nantes, botanique',
];
const scores = ['performance', 'accessibility', 'bestPractices', 'seo'] as const;

/** Audits published composed sites with Lighthouse, as a phone on a slow network, and says which miss the target. */
export async function benchComposed({ rounds, scratch, cache, log, onStop }: Bench): Promise<void> {
  log('starting the platform …');
  const platform = await startBenchPlatform(scratch, port);
  onStop(() => platform.stop());
  connectOperator(platform);
  onStop(closePeers);
  const tools = { lighthouse: installPackage(cache, 'lighthouse', lighthouseVersion), chromium: await chromiumPath() };
  log(`| site (mobile) | performance | accessibility | best practices | SEO | LCP ms | CLS |\n|---|---|---|---|---|---|---|`);
  let missed = 0;
  for (const [seed, prompt] of prompts.entries()) {
    const { files } = compose({ prompt, seed: `bench ${seed}` });
    const host = await publishSite(platform, Object.fromEntries([...files].filter(([path]) => path !== 'webkiln.json')));
    const audits: Audit[] = [];
    for (let round = 0; round < rounds; round++) audits.push(await audit(`http://${host}/`, 'mobile', '', tools));
    const of = (figure: keyof Audit) => median(audits.map((each) => each[figure]));
    if (scores.some((name) => of(name) < wanted)) missed++;
    const cells = [...scores.map((name) => of(name).toFixed(0)), of('lcpMs').toFixed(0), of('cls').toFixed(3)];
    log(`| ${[prompt, ...cells].join(' | ')} |`);
  }
  log(`${prompts.length - missed} of ${prompts.length} sites have at least ${wanted} in all four categories`);
}
