import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { allTools, operations } from '@webkiln/contract';
import { addressSetting, commonAreas, type ProcessName, processes, serviceNames, services } from './services.ts';

const root = path.resolve(__dirname, '../../..');
const foldersIn = (folder: string) =>
  readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? entry.name : []));

/** The texts of the product files below a folder. */
const sourcesIn = (folder: string) =>
  globSync('**/*.ts', { cwd: path.join(root, folder) })
    .filter((file) => !/\.test\.ts$|(^|\/)testing\//.test(file))
    .map((file) => readFileSync(path.join(root, folder, file), 'utf8'));

test('every folder below services/ has a row, and every row has a folder with a package of its name', () => {
  expect(foldersIn('services').sort()).toEqual([...serviceNames].sort());
  for (const name of serviceNames) {
    const { name: packageName } = JSON.parse(readFileSync(path.join(root, 'services', name, 'package.json'), 'utf8'));
    expect(packageName).toBe(`@webkiln/${name}`);
    expect(existsSync(path.join(root, 'services', name, 'src/main.ts'))).toBe(true);
  }
});

test('every proto is served by exactly one service, or by all', () => {
  const areas = Object.values(services).flatMap((service) => service.areas);
  // The multiplexed stream has a proto, which every service serves.
  const protos = foldersIn('protos/webkiln').filter((area) => area !== 'carrier');
  expect([...areas, ...commonAreas].sort()).toEqual(protos.sort());
});

test.each(Object.keys(processes) as ProcessName[])('%s calls the peers in its row and no others', (name) => {
  const folder = name === 'gateway' ? 'gateway/src' : `services/${name}/src`;
  const called = sourcesIn(folder).flatMap((text) => [
    ...[...text.matchAll(/\b(?:call|callForReply)\(\s*'(\w+)\.\w+'/g)].map(([, area]) => area),
    // It reports to identity.
    ...(text.includes('startErasure(') ? ['identity'] : []),
  ]);
  // The tools of mcp call by the operations of the contract.
  if (name === 'mcp') called.push(...Object.values(allTools).map(({ operation }) => operations[operation]?.rpc.split('.')[0]));
  const ownerOf = (area?: string) => serviceNames.find((service) => (services[service].areas as readonly string[]).includes(area ?? ''));
  // A tool that mcp itself serves calls nobody.
  const owners = called.map(ownerOf).filter((owner) => owner !== name);
  const peers: readonly string[] = processes[name].peers;
  expect(peers).toEqual(expect.arrayContaining(owners));
  // The gateway calls the services behind its routes by the operations of the contract.
  if (name !== 'gateway') expect([...new Set(owners)].sort()).toEqual([...peers].sort());
});

test.each(serviceNames)('%s starts the relay if a model of it raises events', (name) => {
  const sources = sourcesIn(`services/${name}/src`);
  const raisesEvents = sources.some((text) => /\braisesEvents: true\b/.test(text));
  const main = readFileSync(path.join(root, 'services', name, 'src/main.ts'), 'utf8');
  expect(!raisesEvents || /^ *startRelay\(eventsPerMinute\);$/m.test(main)).toBe(true);
});

test('a setting is named after its service', () => {
  expect(addressSetting('clients-plans')).toBe('CLIENTS_PLANS_ADDRESS');
});
