import { type NatsAccount, natsAdministrator } from '@webkiln/events/permissions';
import { type ProcessName, processes } from '@webkiln/messages';
import { newSecrets, type SecretUrls, secretsOfProcess } from '@webkiln/messages/secrets';
import { eventsConfig, storeConfig } from '@webkiln/runtime';
import { type Command, InvalidArgumentError } from 'commander';
import { settingOf } from '../arguments.ts';
import { type NatsPasswords, natsUrlWith, newNatsPasswords } from './nats-passwords.ts';
import { secretManifest } from './secret-manifest.ts';

interface CreateOptions {
  readonly namespace: string;
  readonly mongodbUrl: string;
  readonly natsUrl?: string;
  readonly natsUsers?: true;
  readonly redisUrl: string;
  readonly smtpUrl?: string;
}

/** The NATS of the chart `stores`. */
const smallNats = 'nats://nats:4222';

export function addSecretCommands(program: Command): void {
  program
    .command('secrets')
    .description('the secrets of a platform on Kubernetes')
    .command('create')
    .description('print a Secret for each process with fresh keys, for `kubectl create -f -`, which overwrites none')
    .requiredOption('--namespace <name>', 'the namespace of the platform', namespace)
    .option('--mongodb-url <url>', 'the URL of MongoDB', settingOf(storeConfig.MONGODB_URL), 'mongodb://mongodb:27017/?replicaSet=webkiln')
    .option('--nats-url <url>', 'the URL of NATS (default: the small server of the charts)', settingOf(eventsConfig.NATS_URL))
    .option('--nats-users', 'give each process its own user of NATS, as `nats users` prints them; of the small server it has one anyway')
    .option('--redis-url <url>', 'the URL of Redis', url('redis:', 'rediss:'), 'redis://redis:6379')
    .option('--smtp-url <url>', 'the URL of the mail server', url('smtp:', 'smtps:'))
    .action(({ namespace, mongodbUrl, natsUrl, natsUsers, redisUrl, smtpUrl }: CreateOptions) => {
      const urls = { MONGODB_URL: mongodbUrl, NATS_URL: natsUrl ?? smallNats, REDIS_URL: redisUrl, SMTP_URL: smtpUrl };
      process.stdout.write(manifests(namespace, urls, natsUsers || natsUrl === undefined ? newNatsPasswords() : undefined));
      console.error('These keys are nowhere else: keep a copy where you keep passwords. Without KEY_PEPPER no API key works again.');
    });
}

/** YAML documents: a Secret each for every process, operators and backups; with passwords also one for NATS itself. */
function manifests(namespace: string, urls: SecretUrls, passwords: NatsPasswords | undefined): string {
  const secrets = newSecrets();
  const { OPERATOR_SIGNING_KEY } = secrets;
  const { MONGODB_URL, NATS_URL } = urls;
  const natsUrlOf = (user: NatsAccount) => (passwords === undefined ? NATS_URL : natsUrlWith(NATS_URL, user, passwords));
  const own = (Object.keys(processes) as ProcessName[]).map((name) => {
    return [name, secretsOfProcess(name, secrets, { ...urls, NATS_URL: natsUrlOf(name) })] as const;
  });
  const all: readonly (readonly [name: string, data: Readonly<Record<string, string>>])[] = [
    ...own,
    ['operator', { OPERATOR_SIGNING_KEY, NATS_URL: natsUrlOf('operator') }],
    ['backup', { MONGODB_URL, NATS_URL: natsUrlOf(natsAdministrator) }],
    ...(passwords === undefined ? [] : [['nats', passwords] as const]),
  ];
  return all.map(([name, data]) => secretManifest(`webkiln-${name}`, namespace, data)).join('---\n');
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
