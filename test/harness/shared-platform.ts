import type { PlatformFacts } from './test-platform.ts';

const variable = 'WEBKILN_TEST_PLATFORM';

/** Hands the platform that all suites share to the workers. */
export function share(facts: PlatformFacts): void {
  process.env[variable] = JSON.stringify(facts);
}

/** The platform that all suites share: each test signs up an agency of its own in it. */
export function sharedPlatform(): PlatformFacts {
  const facts = process.env[variable];
  if (facts === undefined) throw new Error('no platform was started: run this through jest');
  return JSON.parse(facts);
}
