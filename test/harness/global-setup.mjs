/** Starts one real platform for all suites. Its processes are bundles of the sources, as in production. */
import { globSync } from 'node:fs';
import path from 'node:path';
import { mongodb, nats, redis, supplyProgram } from '@webkiln/dev-platform';
import { startFakeStripe } from '@webkiln/fake-stripe';
import { startSharedBrowser } from './browser.ts';
import { localReceivers } from './local-receivers.ts';
import { recordScans } from './query-plans.ts';
import { runsElsewhere, sharedPlatform, shareWithWorkers } from './shared-platform.ts';
import { startPlatform } from './test-platform.ts';

/** Long timeouts, so that no suite depends on the speed of a request or of Redis. */
const longTimeouts = { REQUEST_TIMEOUT_MS: '60000', REDIS_TIMEOUT_MS: '60000', QUEUE_TIMEOUT_MS: '60000' };

/** Longer than a line of a phone, on whose screen the pages that show it must fit. */
const abuseContact = { ABUSE_CONTACT: 'reportsofpublishedwebsites@aplatformwithalongname.example.com' };

/** Lets each person of a test have their own client address, so that limits per address do not mix tests. */
const trustedProxies = { TRUSTED_PROXIES: '127.0.0.1,::1' };

/** Settings of a platform whose cards are charged at this Stripe. */
const cardsThrough = ({ secretKey, webhookSecret, url }) => ({
  STRIPE_SECRET_KEY: secretKey,
  STRIPE_WEBHOOK_SECRET: webhookSecret,
  STRIPE_API_URL: url,
});

/** `GATEWAYS=3 REPLICAS=2`: gateways behind one address, and replicas of each service, with the bind address of the charts. */
const counts = () => {
  const { GATEWAYS, REPLICAS } = process.env;
  return { gateways: Number(GATEWAYS ?? 1), replicas: Number(REPLICAS ?? 1), balanced: GATEWAYS !== undefined };
};
const clusterSettings = { BIND_ADDRESS: '0.0.0.0' };

/** True if one of these suites is to run. */
function isChosen({ rootDir, testPathPatterns }, suites) {
  const chosen = testPathPatterns.toExecutor({ rootDir });
  return !chosen.isSet() || suites.some((suite) => chosen.isMatch(path.join(rootDir, suite)));
}

/** Only suites in test/ call the shared platform; of those in test/docs two, and those in test/faults start their own. */
const callingPlatform = (cwd) => [
  ...globSync('test/**/*.test.ts', { cwd, exclude: (name) => ['node_modules', 'docs', 'faults'].includes(name) }),
  ...['test/docs/samples.test.ts', 'test/docs/sdk-guide.test.ts'],
];

const usingBrowser = (cwd) => [...globSync('test/{browser,dashboard}/*.test.ts', { cwd }), 'test/faults/turns.test.ts'];

export default async function setUp(config) {
  if (runsElsewhere()) return void Object.assign(process.env, sharedPlatform().urls);
  const { rootDir } = config;
  if (isChosen(config, usingBrowser(rootDir))) globalThis.sharedTestBrowser = await startSharedBrowser();
  const storesOnly = !isChosen(config, callingPlatform(rootDir));
  const { gateways, replicas, balanced } = counts();
  const stripe = storesOnly ? undefined : await startFakeStripe();
  const env = {
    LOG_LEVEL: 'warn',
    ...localReceivers,
    ...longTimeouts,
    ...trustedProxies,
    ...abuseContact,
    ...(stripe && cardsThrough(stripe)),
    ...(balanced && clusterSettings),
  };
  const shared = await startPlatform({ storesOnly, gateways, replicas, balanced, env });
  await recordScans(shared.facts.urls.MONGODB_URL);
  Object.assign(process.env, shared.facts.urls, { LOG_LEVEL: process.env.LOG_LEVEL ?? 'warn' });
  process.env.MONGODB_SERVER_BIN ??= await supplyProgram(mongodb, () => undefined);
  process.env.NATS_SERVER_BIN ??= await supplyProgram(nats, () => undefined);
  process.env.REDIS_SERVER_BIN ??= await supplyProgram(redis, () => undefined);
  await stripe?.sendEventsTo(`${shared.facts.origins[0]}/payments/stripe/events`);
  shareWithWorkers({ ...shared.facts, ...(stripe && { stripeUrl: stripe.url }) });
  Object.assign(globalThis, { sharedTestPlatform: shared, sharedTestStripe: stripe });
}
