import { readFileSync } from 'node:fs';
import { addressSetting, rpcServiceNames } from '@webkiln/messages';
import { parse } from 'yaml';
import { factsOf, portOf, processNames } from '../../scripts/charts/process-facts.ts';
import { type KnownProcess, settingsOf } from '../../scripts/charts/process-settings.ts';

const read = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8');

/**
 * compose.yaml: the template with a service for each process of services.ts. Images of stores, memory and the registry
 * are those of the chart's values.
 */
export async function composeFile(): Promise<string> {
  const values = parse(read('../charts/webkiln/values.yaml'));
  const { version } = JSON.parse(read('../../package.json'));
  const known = await Promise.all(processNames.map(async (name) => ({ facts: factsOf(name), settings: await settingsOf(name) })));
  const memoryOf = (name: string) => memory(values[name].resources?.limits?.memory ?? values.defaults.resources.limits.memory);
  const operator = rpcServiceNames.map((name) => `      ${addressSetting(name)}: ${name}:${portOf.grpc}\n`);
  const filled: Readonly<Record<string, string>> = {
    PROCESSES: known.map((process) => serviceOf(process, memoryOf(process.facts.name))).join(''),
    ADDRESSES: operator.join(''),
    REGISTRY_DEFAULT: values.global.image.registry,
    VERSION_DEFAULT: version,
    ...Object.fromEntries(
      Object.entries<{ image: string; resources: { limits: { memory: string } } }>(values.stores)
        .filter(([, { image }]) => typeof image === 'string')
        .flatMap(([store, { image, resources }]) => [
          [`${store.toUpperCase()}_IMAGE`, image],
          [`${store.toUpperCase()}_MEMORY`, memory(resources.limits.memory)],
        ]),
    ),
  };
  const head = '# Made by npm run generate from deploy/compose. How to use it: docs/compose.md\n';
  const [, ...lines] = read('compose.template.yaml').split('\n');
  return head + Object.entries(filled).reduce((text, [mark, value]) => fill(text, mark, value), lines.join('\n'));
}

/** A mark is a name, or a comment on a line of its own that is replaced whole. */
const fill = (text: string, mark: string, value: string) =>
  text.replace(new RegExp(`^ *# ${mark}\\n`, 'm'), () => value).replaceAll(mark, value);

/** A quantity of Kubernetes as Compose writes it: 512Mi is 512m. */
const memory = (quantity: string) => quantity.replace(/i$/, '').toLowerCase();

/** A variable of Compose, and its default. */
const variable = (name: string, otherwise = '') => `\${${name}:-${otherwise}}`;

/** A process listens on the ports, calls the addresses and reaches the stores that it has in the chart, too. */
function serviceOf({ facts: { name, env, stores, egress, folders }, settings }: KnownProcess, memoryLimit: string): string {
  const isBehindCaddy = name === 'gateway' || name === 'sites';
  const hasMails = (egress as readonly string[]).includes('mail');
  const optionalSecrets = settings.filter(({ setBy, isRequired }) => setBy === 'secret' && !isRequired);
  const environment = {
    ...env,
    ...(name === 'gateway' && { TRUSTED_PROXIES: variable('EDGE_SUBNET', '172.30.255.0/28') }),
    ...(hasMails && { MAIL_DIR: '/mails', MAIL_FROM: variable('MAIL_FROM') }),
    ...Object.fromEntries(optionalSecrets.map((setting) => [setting.name, variable(setting.name)])),
  };
  const volumes = [
    `{ type: volume, source: secrets, target: /secrets, read_only: true, volume: { subpath: ${name} } }`,
    ...('uploads' in folders ? ['uploads:/uploads'] : []),
    ...(hasMails ? ['mails:/mails'] : []),
  ];
  const networks = ['processes', ...stores, ...(isBehindCaddy ? ['edge'] : []), ...(egress.length > 0 ? ['internet'] : [])];
  const needs = [
    'secrets: { condition: service_completed_successfully }',
    ...stores.map((store) =>
      store === 'mongodb' ? 'replica-set: { condition: service_completed_successfully }' : `${store}: { condition: service_healthy }`,
    ),
  ];
  const block = (lines: readonly string[], indent: string) => lines.map((line) => `      ${indent}${line}\n`).join('');
  return `  ${name}:
    <<: *process
    image: ${variable('WEBKILN_REGISTRY', 'REGISTRY_DEFAULT')}/webkiln/${name}:${variable('WEBKILN_VERSION', 'VERSION_DEFAULT')}
    environment:
      <<: *settings
${block(
  Object.entries(environment).map(([setting, value]) => `${setting}: '${value}'`),
  '',
)}    volumes:
${block(volumes, '- ')}    mem_limit: ${memoryLimit}
    networks: [${networks.join(', ')}]
    depends_on:
${block(needs, '')}
`;
}
