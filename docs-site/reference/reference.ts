import { addressOf, type Group, type Page } from '../page.ts';
import { type Answer, type Content, document, type Operation, type Parameter, resolved, type Schema } from './document.ts';
import { fieldTable, inCell, typeOf } from './fields.ts';
import { samples } from './samples.ts';

interface Route {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

const pathOf = ({ operationId }: Operation) => `reference/${operationId}`;

/** "createClient" → "Create client" */
const nameOf = (operationId: string) => {
  const words = operationId.replaceAll(/[A-Z]+(?![a-z])|[A-Z]/g, (capital) => ` ${capital.length > 1 ? capital : capital.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
};

function operationPage(route: Route): Page {
  const { method, path, operation } = route;
  const parts = [
    `\`${method.toUpperCase()} /api/v1${path}\``,
    operation.description ?? '',
    `**Who may call it:** ${callers(operation)}`,
    section('Request', request(route)),
    section('Parameters', parameterTable(operation.parameters ?? [])),
    ...Object.entries(operation.requestBody?.content ?? {}).map(([type, content]) => section('Body', body(type, content))),
    section('Answer', answers(operation)),
    section('Errors', errorTable(operation)),
  ];
  return {
    path: pathOf(operation),
    title: operation.summary,
    label: nameOf(operation.operationId),
    description: `${method.toUpperCase()} ${path}: ${operation.summary}`,
    markdown: parts.filter((part) => part !== '').join('\n\n'),
  };
}

const section = (title: string, text: string) => (text === '' ? '' : `## ${title}\n\n${text}`);

const credentials: Readonly<Record<string, string>> = {
  apiKey: 'API keys',
  oauth: 'agents with an OAuth token',
  embedToken: 'embed tokens',
  session: 'people signed in to the dashboard',
};

function callers({ security = [], 'x-permission': permission, 'x-roles': roles }: Operation): string {
  const names = security.flatMap((each) => Object.keys(each)).map((name) => credentials[name] ?? name);
  const needs = permission === undefined ? '' : ` A key needs the permission \`${permission}\`.`;
  const ofRoles = roles === undefined || roles.length === 0 ? '' : ` Roles: ${roles.join(', ')}.`;
  const keys = names.includes('API keys') ? needs : '';
  return `${names.length === 0 ? 'anybody' : names.join(', ')}.${keys}${ofRoles} See [permissions](${addressOf('permissions')}).`;
}

function request(route: Route): string {
  const copied = samples(route);
  if (copied !== undefined) return copied;
  const { example } = route.operation.requestBody?.content['application/json'] ?? {};
  const said = 'The dashboard calls it, for the person who is signed in.';
  return example === undefined ? said : `${said}\n\n${json(example)}`;
}

function parameterTable(parameters: readonly Parameter[]): string {
  const rows = parameters.map(resolved).map(({ name, in: place, required = false, schema = {}, description }) => {
    const type = `${typeOf(schema)}${required ? ', **required**' : ''}`;
    return `| \`${name}\` | ${place} | ${type} | ${inCell(description ?? schema.description ?? '')} |`;
  });
  return rows.length === 0 ? '' : ['| Name | In | Type | Meaning |', '|---|---|---|---|', ...rows].join('\n');
}

/** The fields of a body. Its example is the request above. */
function body(type: string, { schema = {} }: Content): string {
  const table = type === 'application/json' ? fieldTable(schema, 'sent') : '';
  return table === '' ? `\`${type}\`` : `\`${type}\`\n\n${table}`;
}

const maxExample = 6000;

function json(value: unknown): string {
  const text = JSON.stringify(value, null, 2);
  return `\`\`\`json\n${text.length > maxExample ? `${text.slice(0, maxExample)}\n…` : text}\n\`\`\``;
}

function answers({ responses }: Operation): string {
  return Object.entries(responses)
    .filter(([status]) => Number(status) < 400)
    .map(([status, answer]) => {
      const { content = {}, description } = resolved(answer);
      const contents = Object.entries(content).map(([type, { schema = {}, example }]) => {
        if (type !== 'application/json') return `\`${type}\`${schema.description === undefined ? '' : `: ${schema.description}`}`;
        return [fieldTable(schema, 'answered'), example === undefined ? '' : json(example)].filter((part) => part !== '').join('\n\n');
      });
      return [`**${status}** ${contents.length === 0 ? description : ''}`.trim(), ...contents].join('\n\n');
    })
    .join('\n\n');
}

/** Every code that the operation answers, with its sentence. */
function errorTable({ responses }: Operation): string {
  const rows = Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([status, answer]) =>
      errorsOf(answer).map(({ code, text }) => `| ${status} | [\`${code}\`](${addressOf('errors')}#${code}) | ${inCell(text)} |`),
    );
  return rows.length === 0 ? '' : ['| Status | Code | Meaning |', '|---|---|---|', ...rows].join('\n');
}

function errorsOf(answer: Answer): { code: string; text: string }[] {
  const schema = resolved(answer).content?.['application/json']?.schema ?? {};
  return (resolved(schema).oneOf ?? [schema]).map(resolved).map((error: Schema) => {
    const code = resolved(error.properties?.code ?? {});
    return { code: String(code.const ?? ''), text: error.description ?? '' };
  });
}

/** The page of all events: who sends them is the platform. */
function eventsPage(): Page {
  const events = Object.entries(document.webhooks).map(([type, { post }]) => {
    const content = post.requestBody?.content['application/json'] ?? {};
    const table = fieldTable(content.schema ?? {}, 'answered');
    return `## ${type}\n\n${post.description ?? ''}\n\n${table}\n\n${content.example === undefined ? '' : json(content.example)}`;
  });
  const headers = Object.values(document.webhooks)[0]?.post.parameters ?? [];
  return {
    path: 'reference/events',
    title: 'Events',
    description: 'Every event that webhooks are sent, with its fields and an example.',
    markdown: [
      `Each active webhook that subscribes to an event is sent it as a POST, until it answers 2xx: [webhooks](${addressOf('webhooks')}).`,
      parameterTable(headers),
      ...events,
    ].join('\n\n'),
  };
}

const routes: readonly Route[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
);

/** The reference of the API, made of the OpenAPI document: a group of pages for each of its tags. */
export function referenceGroup(): Group {
  const tags = document.tags.map(({ name, description }): Group => {
    const ofTag = routes.filter(({ operation }) => operation.tags.includes(name));
    const overview: Page = {
      path: `reference/${name.toLowerCase()}`,
      title: name,
      label: 'Overview',
      description: `Operations of the API: ${name}.`,
      markdown: `${description}\n\n${operationTable(ofTag)}`,
    };
    return { label: name, items: [overview, ...ofTag.map(operationPage)] };
  });
  return { label: 'Reference', isOpen: true, items: [index(), ...tags, eventsPage()] };
}

const operationTable = (listed: readonly Route[]) =>
  [
    '| Operation | Request |',
    '|---|---|',
    ...listed.map(
      ({ method, path, operation }) => `| [${operation.summary}](${addressOf(pathOf(operation))}) | \`${method.toUpperCase()} ${path}\` |`,
    ),
  ].join('\n');

const index = (): Page => ({
  path: 'reference',
  title: 'API reference',
  label: 'Overview',
  description: 'Every operation of the REST API, with its fields, errors, examples and requests to copy.',
  markdown: [
    `The API is at \`/api/v1\` of your platform. Its [OpenAPI 3.1 document](/openapi.json) has everything that these pages say.`,
    ...document.tags.map(({ name }) => `## ${name}\n\n${operationTable(routes.filter(({ operation }) => operation.tags.includes(name)))}`),
    `## Events\n\n[Events](${addressOf('reference/events')}) are sent to webhooks.`,
  ].join('\n\n'),
});
