import { readFileSync } from 'node:fs';
import path from 'node:path';
import { addressSetting, type RpcServiceName } from '@webkiln/messages';
import { type MongodbUser, mongodbUrlWith } from '@webkiln/store/users';
import * as z from 'zod';
import { OperatorError } from '../operator-error.ts';

const Run = z.object({
  services: z.record(z.string(), z.object({ port: z.int(), internal_port: z.int().optional() })),
});
const Secrets = z.object({ OPERATOR_SIGNING_KEY: z.string(), mongodb_passwords: z.record(z.string(), z.string()).default({}) });
type Part = RpcServiceName | 'nats' | 'mongodb';

const settingOf = (part: Part) => {
  if (part === 'nats') return 'NATS_URL';
  return part === 'mongodb' ? 'MONGODB_URL' : `${addressSetting(part)} and OPERATOR_SIGNING_KEY`;
};

/** The port of a process of the platform in `DATA_DIR`. Throws `OperatorError` if it does not run on this machine. */
export function portOf(part: Part): number {
  const notHere = `The platform is not running: start it with \`npm start\`, or set ${settingOf(part)}.`;
  const { port } = written('run.json', Run, notHere).services[part] ?? {};
  if (port === undefined) throw new OperatorError(`The platform uses a ${part} that runs elsewhere: set ${settingOf(part)}.`);
  return port;
}

/** The processes of the platform in `DATA_DIR`, with the ports of their health checks. Throws as `portOf` does. */
export function internalPorts(): { name: string; port: number }[] {
  const { services } = written('run.json', Run, 'The platform is not running: start it with `npm start`, or add --by-name.');
  return Object.entries(services).flatMap(([name, { internal_port: port }]) => (port === undefined ? [] : [{ name, port }]));
}

/** The URL by which a user connects to the MongoDB of the platform in `DATA_DIR`. Throws as `portOf` does. */
export function mongodbUrlOf(user: MongodbUser): string {
  const url = `mongodb://127.0.0.1:${portOf('mongodb')}/?directConnection=true`;
  return mongodbUrlWith(url, user, process.env.MONGODB_PREFIX ?? 'webkiln', secrets('set MONGODB_URL').mongodb_passwords);
}

/** The operator's signing key of the platform in `DATA_DIR`. */
export const operatorKey = (): string => secrets('set OPERATOR_SIGNING_KEY').OPERATOR_SIGNING_KEY;

const secrets = (instead: string) =>
  written('secrets.json', Secrets, `There is no platform here: make one with \`npm start\`, or ${instead}.`);

function written<S extends z.ZodType>(file: string, schema: S, otherwise: string): z.output<S> {
  try {
    return schema.parse(JSON.parse(readFileSync(path.join(process.env.DATA_DIR ?? '.data', file), 'utf8')));
  } catch (error) {
    throw new OperatorError(otherwise, { cause: error });
  }
}
