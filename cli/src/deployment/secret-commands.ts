import { type ProcessName, processes } from '@webkiln/messages';
import { newSecrets, type SecretUrls, secretsOfProcess } from '@webkiln/messages/secrets';
import { type Command, InvalidArgumentError } from 'commander';
import { secretManifest } from './secret-manifest.ts';

interface CreateOptions {
  readonly namespace: string;
  readonly mongodbUrl: string;
  readonly natsUrl: string;
  readonly redisUrl: string;
  readonly smtpUrl?: string;
}

export function addSecretCommands(program: Command): void {
  program
    .command('secrets')
    .description('the secrets of a platform on Kubernetes')
    .command('create')
    .description('print a Secret for each process with fresh keys, for `kubectl create -f -`, which overwrites none')
    .requiredOption('--namespace <name>', 'the namespace of the platform', namespace)
    .option('--mongodb-url <url>', 'the URL of MongoDB', url('mongodb:', 'mongodb+srv:'), 'mongodb://mongodb:27017/?replicaSet=webkiln')
    .option('--nats-url <url>', 'the URL of NATS', url('nats:', 'tls:'), 'nats://nats:4222')
    .option('--redis-url <url>', 'the URL of Redis', url('redis:', 'rediss:'), 'redis://redis:6379')
    .option('--smtp-url <url>', 'the URL of the mail server', url('smtp:', 'smtps:'))
    .action(({ namespace, mongodbUrl, natsUrl, redisUrl, smtpUrl }: CreateOptions) => {
      const urls = { MONGODB_URL: mongodbUrl, NATS_URL: natsUrl, REDIS_URL: redisUrl, SMTP_URL: smtpUrl };
      process.stdout.write(manifests(namespace, urls));
      console.error('These keys are nowhere else: keep a copy where you keep passwords. Without KEY_PEPPER no API key works again.');
    });
}

/** YAML documents: a Secret for each process, and one with the operator's key. */
function manifests(namespace: string, urls: SecretUrls): string {
  const secrets = newSecrets();
  const { OPERATOR_SIGNING_KEY } = secrets;
  const own = (Object.keys(processes) as ProcessName[]).map((name) =>
    secretManifest(`webkiln-${name}`, namespace, secretsOfProcess(name, secrets, urls)),
  );
  return [...own, secretManifest('webkiln-operator', namespace, { OPERATOR_SIGNING_KEY })].join('---\n');
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
