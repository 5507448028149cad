import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { runConcurrently } from '../concurrently.ts';
import { installPackage } from '../install-package.ts';
import type { Running } from '../spawn.ts';
import { spawnServer } from '../spawn.ts';

const version = '9.10.0';

const credentials = { 'X-Parse-Application-Id': 'bench', 'X-Parse-REST-API-Key': 'bench-key' };

export interface ParseServer extends Running {
  readonly credentials: Readonly<Record<string, string>>;
  readonly oneUrl: string;
  readonly listUrl: string;
  readonly createUrl: string;
}

/** Starts Parse Server, the peer, on the same mongod with as many records as ours. */
export async function startParseServer(options: {
  cache: string;
  scratch: string;
  mongoUrl: string;
  port: number;
  core: string;
  records: number;
}): Promise<ParseServer> {
  const folder = installPackage(options.cache, 'parse-server', version);
  const url = `http://127.0.0.1:${options.port}/parse`;
  const settings = path.join(options.scratch, 'parse.json');
  writeFileSync(
    settings,
    JSON.stringify({
      appId: 'bench',
      masterKey: 'bench-master',
      restAPIKey: 'bench-key',
      databaseURI: options.mongoUrl,
      port: options.port,
      host: '127.0.0.1',
      serverURL: url,
      logLevel: 'error',
      logsFolder: path.join(options.scratch, 'parse-logs'),
      allowClientClassCreation: true,
    }),
  );
  const server = await spawnServer([path.join(folder, 'bin/parse-server'), settings], {
    core: options.core,
    url: `${url}/health`,
    headers: credentials,
    cwd: options.scratch,
  });
  const first = await seed(url, options.records);
  return {
    ...server,
    credentials,
    oneUrl: `${url}/classes/Project/${first}`,
    listUrl: `${url}/classes/Project?limit=50&order=-createdAt`,
    createUrl: `${url}/classes/Client`,
  };
}

async function seed(url: string, records: number): Promise<string> {
  const made = await runConcurrently(records, async (index) => {
    const body = {
      name: `Site ${index}`,
      description: 'A site',
      status: 'active',
      tags: ['shop', 'spring'],
      starred: false,
      is_public: false,
    };
    const headers = { ...credentials, 'content-type': 'application/json' };
    const response = await fetch(`${url}/classes/Project`, { method: 'POST', headers, body: JSON.stringify(body) });
    return ((await response.json()) as { objectId: string }).objectId;
  });
  return made[0] ?? '';
}
