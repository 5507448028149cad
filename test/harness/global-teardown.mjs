import { recordedScans } from './query-plans.ts';

export default async function tearDown() {
  const { sharedTestBrowser: browser, sharedTestPlatform: platform, sharedTestStripe: stripe } = globalThis;
  const scans = platform === undefined ? [] : await recordedScans(platform.facts.urls.MONGODB_URL);
  await browser?.close();
  await platform?.[Symbol.asyncDispose]();
  await stripe?.stop();
  if (scans.length === 0) return;
  // An error would keep jest from writing the results.
  console.error(`the platform read whole collections, for want of an index:\n${scans.join('\n')}`);
  process.exitCode = 1;
}
