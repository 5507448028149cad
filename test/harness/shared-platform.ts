import type { PlatformFacts } from './test-platform.ts';

const variable = 'WEBKILN_TEST_PLATFORM';

/** Passes the shared platform to the jest workers, by an environment variable. */
export function shareWithWorkers(facts: PlatformFacts): void {
  process.env[variable] = JSON.stringify(facts);
}

/** True if the environment names a platform that runs elsewhere, such as in a cluster. */
export const runsElsewhere = (): boolean => process.env[variable] !== undefined;

/** Returns the platform that all suites share. Each test creates its own organization on it. */
export function sharedPlatform(): PlatformFacts {
  const facts = process.env[variable];
  if (facts === undefined) throw new Error('no platform was started: run this through jest');
  return JSON.parse(facts);
}

/** The folder of the shared platform, where it runs on this machine. */
export const sharedFolder = (): string[] => (runsElsewhere() ? [sharedPlatform().folder ?? []].flat() : []);

/** The address at which the platform reaches receivers in this process. */
export const receiverHost = (): string => (runsElsewhere() && sharedPlatform().receiverHost) || '127.0.0.1';
