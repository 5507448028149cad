/**
 * `stored-clients.ts` adds clients on the platform of WEBKILN_TEST_PLATFORM and prints what `stored-clients.ts PRINTED`
 * later needs to see that all of them, and the API key, are still there. Exits 1 if one is missing.
 */
import { closePeers } from '@webkiln/rpc';
import { logger } from '@webkiln/runtime';
import { agency } from '../harness/agency.ts';
import { Api } from '../harness/api.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

// Standard output is the result alone.
logger.level = 'silent';
const count = 20;
const [printed] = process.argv.slice(2);
console.log(printed === undefined ? await add() : await check(printed));
await closePeers();
process.exit();

async function add(): Promise<string> {
  const { api } = await agency();
  const ids: string[] = [];
  while (ids.length < count) ids.push((await api.post('/clients', { email: `${ids.length}@example.test` })).expect(201).body.client.id);
  return JSON.stringify({ key: api.key, ids });
}

async function check(text: string): Promise<string> {
  const { key, ids } = JSON.parse(text) as { key: string; ids: string[] };
  const api = new Api(`${sharedPlatform().origins[0]}/api/v1`, key);
  for (const id of ids) (await api.get(`/clients/${id}`)).expect(200);
  return `${ids.length} of ${ids.length} clients are there, and the key works`;
}
