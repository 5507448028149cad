import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type EventType, type ProcessName, processes, type ServiceName, serviceNames } from '@webkiln/messages';
import { heartbeatListeners, listeners } from './listeners.ts';
import { publishers } from './publishers.ts';

const root = path.resolve(import.meta.dirname, '../../../..');
const sourceOf = (process: ProcessName) =>
  globSync(`${process === 'gateway' ? 'gateway' : `services/${process}`}/src/**/*.ts`, { cwd: root })
    .filter((file) => !file.endsWith('.test.ts') && !file.includes('/testing/'))
    .map((file) => readFileSync(path.join(root, file), 'utf8'))
    .join('\n');

const types = Object.keys(publishers) as EventType[];

test.each(serviceNames)('%s may publish exactly the events that its rules raise', (service: ServiceName) => {
  const source = sourceOf(service);
  const raised = types.filter(
    (type) => source.includes(`type: '${type}'`) || (type === 'internal.audited' && source.includes('auditEvent(')),
  );
  expect(types.filter((type) => publishers[type].includes(service))).toEqual(raised);
});

test.each(Object.keys(processes) as ProcessName[])('%s may hear exactly the broadcasts that it listens to', (process) => {
  const source = sourceOf(process);
  const heard = [...source.matchAll(/\blisten\('([^']+)'/g)].map(([, type]) => type);
  if (/\b(start|hear)Standings\(/.test(source)) heard.push('internal.organization.changed');
  expect(new Set(listeners[process] ?? [])).toEqual(new Set(heard));
  expect(heartbeatListeners.has(process)).toBe(/\b(feedIsLive|onFeedRestored)\b/.test(source));
});
