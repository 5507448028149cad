import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type NatsAccount, natsAccounts, natsAdministrator, natsPasswordVariable } from '@webkiln/events/permissions';
import { type ProcessName, processes } from '@webkiln/messages';
import { completeSecrets, newSecrets, type PlatformSecrets, type SecretUrls, secretsOfProcess } from '@webkiln/messages/secrets';
import { eventsConfig, storeConfig } from '@webkiln/runtime';
import { keyFileUrl, type MongodbUser, mongodbUrlWith, newMongodbPasswords } from '@webkiln/store/users';
import { type Command, InvalidArgumentError } from 'commander';
import { settingOf } from '../arguments.ts';
import { fingerprintedSettings, fingerprintsOf } from '../backup/secret-fingerprints.ts';

interface CreateOptions {
  readonly namespace: string;
  readonly mongodbUrl?: string;
  readonly mongodbUsers?: true;
  readonly mongodbPrefix: string;
  readonly natsUrl?: string;
  readonly natsUsers?: true;
  readonly redisUrl?: string;
  readonly smtpUrl?: string;
}

/** The small servers of the chart and of compose.yaml. */
const small = { mongodb: 'mongodb:27017', nats: 'nats://nats:4222', redis: 'redis://redis:6379' };
const smallSet = 'replicaSet=webkiln';

export function addSecretCommands(program: Command): void {
  const secrets = program.command('secrets').description('the secrets of a platform');
  secrets
    .command('fingerprints')
    .description('write the fingerprints of the five secrets that data depends on to a file, so that a backup needs no secret')
    .requiredOption('--to <file>', 'the file, for SECRET_FINGERPRINTS_FILE')
    .addHelpText('after', `\nIt needs the secrets as their processes have them: ${fingerprintedSettings.join(', ')}.`)
    .action(({ to }: { to: string }) => writeFileSync(to, JSON.stringify(fingerprintsOf(process.env))));
  secrets
    .command('files')
    .description('write the secrets of a platform on one machine into a folder, a file for each process; those that are there stay')
    .requiredOption('--in <folder>', 'the folder, as compose.yaml mounts it')
    .action(({ in: folder }: { in: string }) => {
      const urls = { MONGODB_URL: `mongodb://${small.mongodb}/?${smallSet}`, NATS_URL: small.nats, REDIS_URL: small.redis };
      console.log(
        `The secrets of ${writeSecretFiles(folder, urls).join(', ')} are in ${folder}. Keep a copy of ${folder}/platform/secrets.json.`,
      );
    });
  secrets
    .command('create')
    .description('print a Secret for each process with fresh keys, for `kubectl create -f -`, which overwrites none')
    .requiredOption('--namespace <name>', 'the namespace of the platform', namespace)
    .option('--mongodb-url <url>', 'the URL of MongoDB (default: the small server of the charts)', settingOf(storeConfig.MONGODB_URL))
    .option(
      '--mongodb-users',
      'give each process its own user of MongoDB, as `mongodb users` makes them; of the small server it has one anyway',
    )
    .option('--mongodb-prefix <prefix>', 'MONGODB_PREFIX of the processes', settingOf(storeConfig.MONGODB_PREFIX), 'webkiln')
    .option('--nats-url <url>', 'the URL of NATS (default: the small server of the charts)', settingOf(eventsConfig.NATS_URL))
    .option('--nats-users', 'give each process its own user of NATS, as `nats users` prints them; of the small server it has one anyway')
    .option('--redis-url <url>', 'the URL of Redis (default: the small server of the charts)', url('redis:', 'rediss:'))
    .option('--smtp-url <url>', 'the URL of the mail server', url('smtp:', 'smtps:'))
    .action((options: CreateOptions) => {
      process.stdout.write(manifests(options));
      console.error('These keys are nowhere else: keep a copy where you keep passwords. Without KEY_PEPPER no API key works again.');
    });
}

/** YAML documents: a Secret for each process, operators, backups and restores, and each store that needs passwords. */
function manifests(options: CreateOptions): string {
  const { namespace, natsUrl, natsUsers, mongodbUrl, mongodbUsers, mongodbPrefix, redisUrl, smtpUrl: SMTP_URL } = options;
  const secrets = newSecrets();
  const { OPERATOR_SIGNING_KEY } = secrets;
  const nats = natsUsers || natsUrl === undefined ? newNatsPasswords() : undefined;
  const natsUrlOf = (user: NatsAccount) => (nats ? natsUrlWith(natsUrl ?? small.nats, user, nats) : (natsUrl ?? ''));
  const mongodb = mongodbUsers || mongodbUrl === undefined ? newMongodbPasswords() : undefined;
  const mongodbAt = mongodbUrl ?? `mongodb://${small.mongodb}/?${smallSet}`;
  const mongodbUrlOf = (user: MongodbUser) => (mongodb ? mongodbUrlWith(mongodbAt, user, mongodbPrefix, mongodb) : mongodbAt);
  const redisPassword = newPassword();
  const REDIS_URL = redisUrl ?? small.redis.replace('://', `://:${redisPassword}@`);
  const own = (Object.keys(processes) as ProcessName[]).map((name) => {
    const urls = { MONGODB_URL: mongodbUrlOf(name as MongodbUser), NATS_URL: natsUrlOf(name), REDIS_URL, SMTP_URL };
    return [name, secretsOfProcess(name, secrets, urls)] as const;
  });
  const all: readonly (readonly [name: string, data: Readonly<Record<string, string>>])[] = [
    ...own,
    ['operator', { OPERATOR_SIGNING_KEY, NATS_URL: natsUrlOf('operator') }],
    ['backup', { MONGODB_URL: mongodbUrlOf('backup'), NATS_URL: natsUrlOf(natsAdministrator) }],
    ['restore', { MONGODB_URL: mongodbUrlOf('operator'), NATS_URL: natsUrlOf(natsAdministrator) }],
    ...(mongodb === undefined ? [] : [['mongodb', { ...mongodb, ...(mongodbUrl === undefined && smallMongodb()) }] as const]),
    ...(nats === undefined ? [] : [['nats', nats] as const]),
    ...(redisUrl === undefined ? [['redis', { 'password.conf': `requirepass ${redisPassword}` }] as const] : []),
  ];
  return all.map(([name, data]) => secretManifest(`webkiln-${name}`, namespace, data)).join('---\n');
}

const newPassword = () => randomBytes(24).toString('hex');

/** What the small server itself needs: its key, and the URL with which its users are made. */
function smallMongodb() {
  const MONGODB_KEY = newPassword();
  return { MONGODB_KEY, MONGODB_URL: keyFileUrl(small.mongodb, MONGODB_KEY, smallSet) };
}

function namespace(text: string): string {
  if (!/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(text)) throw new InvalidArgumentError('It takes the name of a Kubernetes namespace.');
  return text;
}

const url =
  (...protocols: string[]) =>
  (text: string) => {
    if (protocols.includes(URL.parse(text)?.protocol ?? '')) return text;
    throw new InvalidArgumentError(`It takes a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}.`);
  };

/** What nats-server's environment holds, by variable. */
type NatsPasswords = Readonly<Record<string, string>>;

/** A password for each user that `nats users` prints. One that begins with a digit could be a number to nats-server. */
export const newNatsPasswords = (): NatsPasswords =>
  Object.fromEntries(natsAccounts.map((user) => [natsPasswordVariable(user), `p${randomBytes(24).toString('hex')}`]));

/** The URL of NATS by which a user connects. */
export function natsUrlWith(url: string, user: NatsAccount, passwords: NatsPasswords): string {
  const whole = new URL(url);
  whole.username = user;
  whole.password = passwords[natsPasswordVariable(user)] ?? '';
  return whole.href;
}

/** A Kubernetes Secret as YAML. JSON strings are YAML strings. */
const secretManifest = (name: string, namespace: string, data: Readonly<Record<string, string>>): string => `apiVersion: v1
kind: Secret
metadata:
  name: ${name}
  namespace: ${namespace}
  labels:
    app.kubernetes.io/part-of: webkiln
type: Opaque
stringData:
${Object.entries(data)
  .map(([key, value]) => `  ${key}: ${JSON.stringify(value)}\n`)
  .join('')}`;

/**
 * Writes `<folder>/<process>/env` with the secrets of each process, and of operators, in the format of Node's
 * --env-file. `<folder>/platform/secrets.json` has all of them; those that are there already stay. Returns the names of
 * the files' folders.
 */
function writeSecretFiles(folder: string, urls: SecretUrls): string[] {
  const whole = path.join(folder, 'platform/secrets.json');
  const kept: Partial<PlatformSecrets> = existsSync(whole) ? JSON.parse(readFileSync(whole, 'utf8')) : {};
  const secrets = completeSecrets(kept);
  write(whole, `${JSON.stringify(secrets, null, 2)}\n`);
  const names = Object.keys(processes) as ProcessName[];
  for (const name of names) write(path.join(folder, name, 'env'), lines(secretsOfProcess(name, secrets, urls)));
  const { MONGODB_URL, NATS_URL } = urls;
  write(path.join(folder, 'operator/env'), lines({ OPERATOR_SIGNING_KEY: secrets.OPERATOR_SIGNING_KEY, MONGODB_URL, NATS_URL }));
  write(path.join(folder, 'operator/fingerprints.json'), JSON.stringify(fingerprintsOf({ ...secrets, signing_keys: undefined })));
  return [...names, 'operator'];
}

/** Only its owner may read what it writes. */
function write(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, text, { mode: 0o600 });
}

const lines = (settings: Readonly<Record<string, string>>) =>
  Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
