import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { eventStreams } from '@webkiln/messages';
import { consumersOf } from './consumers.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const sources = globSync('services/*/src/**/*.ts', { cwd: root })
  .filter((file) => !file.endsWith('.test.ts') && !file.includes('/testing/'))
  .map((file) => readFileSync(path.join(root, file), 'utf8'));

test('every consumer that the list names is started by exactly one service, since a stream is purged only while all exist', () => {
  const started = sources.flatMap((source) => [...source.matchAll(/consumerOf\('([^']+)'\)/g)].map(([, name]) => name));
  const standings = sources.flatMap((source) =>
    [...source.matchAll(/(?:start|copy)Standings\('([^']+)'/g)].map(([, name]) => `${name}-standings`),
  );
  const erasures = sources.flatMap((source) => [...source.matchAll(/startErasure\('([^']+)'/g)].map(([, name]) => `${name}-erasure`));
  expect([...started, ...standings, ...erasures].sort()).toEqual([...new Set(eventStreams.flatMap(consumersOf))].sort());
});

test('every consumer of a service is in the list, since a stream is purged of what the listed ones acknowledged', () => {
  const calls = sources.flatMap((source) => [...source.matchAll(/\bconsume(?:Batches)?\(\{\s*(\S+)/g)].map(([, first]) => first));
  expect(calls.length).toBeGreaterThan(0);
  for (const first of calls) expect(first).toMatch(/^\.\.\.consumerOf\(/);
});
