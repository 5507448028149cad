/** The order in which jest gives suites to its workers. */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import Sequencer from '@jest/test-sequencer';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The longest suites, longest first: the size of their files says nothing about that. */
const longest = ['outages', 'stored-data', 'turns', 'hostile-callers', 'neighbours', 'two-of-each', 'several-gateways'].map(
  (name) => `test/faults/${name}.test.ts`,
);
const alsoWaiting = [
  'gateway/src/http-server.test.ts',
  'packages/events/src/persistent-stream.test.ts',
  'packages/events/src/relay/expired-records.test.ts',
  'services/analytics/src/workers/workers.test.ts',
  'test/contract/rate-limit.test.ts',
];

/** True if the suite takes long and mostly waits: for processes of its own, or for outages and time windows. */
const waits = (name) => name.startsWith('test/faults/') || name.startsWith('cli/') || alsoWaiting.includes(name);

const rank = (name) => (longest.includes(name) ? longest.indexOf(name) : longest.length);

/**
 * Spreads the suites that wait over the run, the longest first, so that one worker computes while another waits. Jest's
 * own order is by file size in a fresh clone: it puts the longest suites last, two beside each other.
 */
export default class SuiteOrder extends Sequencer {
  sort(tests) {
    const nameOf = new Map(tests.map((test) => [test, path.relative(root, test.path)]));
    const sorted = super.sort(tests);
    const waiting = sorted.filter((test) => waits(nameOf.get(test))).sort((a, b) => rank(nameOf.get(a)) - rank(nameOf.get(b)));
    const others = sorted.filter((test) => !waits(nameOf.get(test)));
    // The last third of the others fills all workers at the end.
    const between = Math.ceil((others.length * 2) / 3 / Math.max(1, waiting.length));
    return [
      ...waiting.flatMap((test, index) => [test, ...others.slice(index * between, (index + 1) * between)]),
      ...others.slice(waiting.length * between),
    ];
  }
}
