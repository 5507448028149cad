import { once } from 'node:events';
import { agencyServer } from '../../../../examples/express/server.ts';
import { PortRegistry } from '../processes/port-registry.ts';
import type { Demo } from './demo.ts';

const host = '127.0.0.1';

/** The origin of the example page: another site than the platform's, and the same at each start of a data folder. */
export async function exampleOriginOf(dataFolder: string): Promise<string> {
  return `http://${host}:${await new PortRegistry(dataFolder).portFor('example')}`;
}

/** Serves the page of an agency that shows the builder to its users, until the process ends. */
export async function serveExample({ origin, embed }: Demo): Promise<void> {
  const app = agencyServer({ origin, clientId: embed.client_id, clientSecret: embed.client_secret });
  const server = app.listen(Number(new URL(embed.allowed_origin).port), host);
  await once(server, 'listening');
}
