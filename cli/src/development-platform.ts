import { readFileSync } from 'node:fs';
import path from 'node:path';
import { addressSetting, type RpcServiceName } from '@webkiln/messages';
import * as z from 'zod';
import { OperatorError } from './operator-error.ts';

const Run = z.object({ services: z.record(z.string(), z.object({ port: z.int() })) });
const Secrets = z.object({ OPERATOR_SIGNING_KEY: z.string() });
const settings = { nats: 'NATS_URL', mongodb: 'MONGODB_URL' } as const;
const settingOf = (part: RpcServiceName | keyof typeof settings) =>
  part === 'nats' || part === 'mongodb' ? settings[part] : `${addressSetting(part)} and OPERATOR_SIGNING_KEY`;

/** The port of a process of the platform in `DATA_DIR`. Throws `OperatorError` if it does not run on this machine. */
export function portOf(part: RpcServiceName | 'nats' | 'mongodb'): number {
  const notHere = `The platform is not running: start it with \`npm start\`, or set ${settingOf(part)}.`;
  const { port } = written('run.json', Run, notHere).services[part] ?? {};
  if (port === undefined) throw new OperatorError(`The platform uses a ${part} that runs elsewhere: set ${settingOf(part)}.`);
  return port;
}

/** The operator's signing key of the platform in `DATA_DIR`. */
export const operatorKey = (): string =>
  written('secrets.json', Secrets, 'There is no platform here: make one with `npm start`, or set OPERATOR_SIGNING_KEY.')
    .OPERATOR_SIGNING_KEY;

function written<S extends z.ZodType>(file: string, schema: S, otherwise: string): z.output<S> {
  try {
    return schema.parse(JSON.parse(readFileSync(path.join(process.env.DATA_DIR ?? '.data', file), 'utf8')));
  } catch (error) {
    throw new OperatorError(otherwise, { cause: error });
  }
}
