import { globSync } from 'node:fs';
import path from 'node:path';
import { operations } from '../../packages/contract/src/http/operations.ts';
import { services } from '../../packages/messages/src/services.ts';
import { type Edits, Refusal } from './edits.ts';

const upperFirst = (name: string) => `${name[0]?.toUpperCase()}${name.slice(1)}`;
const kebab = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
const camel = (name: string) => name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

export interface NewOperation {
  readonly name: string;
  readonly method: string;
  readonly route: string;
  /** The area of the protos: `projects`. */
  readonly area: string;
  /** The folder of the service, and the file of the contract. */
  readonly feature: string;
}

/** An operation from its name, its request and the area of the protos; the feature is the last word of the path. */
export function operationOf([name = '', method = '', route = '']: readonly string[], area = '', feature = ''): NewOperation {
  const areas = Object.values(services).flatMap((service): readonly string[] => service.areas);
  const last = route.split('/').findLast((part) => /^[a-z]/.test(part)) ?? '';
  const rules: readonly (readonly [isRight: boolean, rule: string])[] = [
    [/^[a-z]+[A-Z][A-Za-z]*$/.test(name), 'The name is a verb and a noun, as listNotes.'],
    [/^(?:GET|POST|PUT|PATCH|DELETE)$/.test(method), 'The method is GET, POST, PUT, PATCH or DELETE.'],
    [/^(?:\/(?:[a-z][a-z-]*|\{[a-z][A-Za-z]*\}))+$/.test(route), "The path is as '/projects/{projectId}/notes'."],
    [areas.includes(area), `--area is one of ${areas.join(', ')}.`],
    [/^[a-z-]*$/.test(feature), 'The feature is a word in small letters.'],
    [operations[name] === undefined, `There is an operation ${name}.`],
    [!Object.values(operations).some((each) => each.method === method && each.path === route), `There is an operation ${method} ${route}.`],
  ];
  const broken = rules.find(([isRight]) => !isRight);
  if (broken !== undefined) throw new Refusal(broken[1]);
  return { name, method, route, area, feature: feature || last };
}

/** Writes the skeleton of an operation. Returns what is left to do. */
export function addOperation(edits: Edits, root: string, operation: NewOperation): string[] {
  const { name, method, area, feature, route } = operation;
  addToContract(edits, operation);
  const proto = `protos/webkiln/${area}/v1/${area}.proto`;
  const options = method === 'GET' ? '{ option idempotency_level = NO_SIDE_EFFECTS; }' : '';
  const rpc = upperFirst(name);
  edits.insert(
    proto,
    `\n  rpc ${rpc}(${rpc}Request) returns (${rpc}Response)${options === '' ? ';' : ` ${options}`}`,
    '\n}',
    `service ${upperFirst(area)} {`,
  );
  addUseCase(edits, root, operation);
  const row = method === 'GET' ? 'listWebhooks getWebhook' : 'createWebhook updateWebhook';
  edits.insert('test/contract/roles.test.ts', `${name} `, row);
  const parameters = [...route.matchAll(/\{(\w+)\}/g)].map(([, id = '']) => id);
  const unknown = parameters.filter((id) => !edits.read('packages/contract/src/http/path-ids.ts').includes(`  ${id}: `));
  return [
    `packages/contract/src/areas/${feature}.ts: what it takes, answers and means, in place of each …`,
    ...unknown.map((id) => `packages/contract/src/http/path-ids.ts: what ${id} is`),
    `packages/contract/src/examples: an example of ${method === 'GET' ? 'each new record' : 'its body, and of each new record'}`,
    'npm run generate',
    `services/*/src/${feature}/${kebab(name)}.ts: what it does`,
    'test/contract/roles.test.ts: whether these are the callers',
  ];
}

function addToContract(edits: Edits, { name, method, route, area, feature }: NewOperation): void {
  const file = `packages/contract/src/areas/${feature}.ts`;
  const permission = method === 'GET' ? 'read' : 'write';
  const takesBody = method !== 'GET' && method !== 'DELETE';
  const entry = `
export const ${name} = defineOperation({
  method: '${method}',
  path: '${route}',
  tag: '…',
  summary: '…',
  description: '…',
  permission: '${permission}',
  rpc: '${area}.${upperFirst(name)}',${takesBody ? '\n  input: z.object({}),' : ''}
  output: z.object({}),
  success: ${method === 'POST' ? 201 : 200},
  errors: [],
});
`;
  if (edits.exists(file)) {
    edits.append(file, entry);
    return;
  }
  edits.create(file, `import * as z from 'zod';\nimport { defineOperation } from '../http/operation.ts';\n${entry}`);
  const list = 'packages/contract/src/http/operations.ts';
  edits.insertImport(list, `import * as ${camel(feature)} from '../areas/${feature}.ts';`, `../areas/${feature}.ts`);
  edits.insert(list, `    ${camel(feature)},\n`, '    account,\n');
  edits.insertImport('packages/contract/src/index.ts', `export * from './areas/${feature}.ts';`, `./areas/${feature}.ts`);
}

function addUseCase(edits: Edits, root: string, { name, area, feature }: NewOperation): void {
  const [service = ''] = Object.entries(services).find(([, { areas }]) => (areas as readonly string[]).includes(area)) ?? [];
  const folder = `services/${service}/src/${feature}`;
  const useCase = `import { handle } from '@webkiln/rpc';

export const ${name} = handle('${area}.${upperFirst(name)}', async () => {
  throw new Error('${name} is not written yet');
});
`;
  edits.create(`${folder}/${kebab(name)}.ts`, useCase);
  const imported = `import { ${name} } from './${kebab(name)}.ts';`;
  const [list] = globSync(`${folder}/{index,*-use-cases}.ts`, { cwd: root });
  if (list !== undefined) {
    edits.insertImport(list, imported, `./${kebab(name)}.ts`);
    edits.insert(list, `  ${name},\n`, '];', 'UseCases');
    return;
  }
  const useCases = `${camel(feature)}UseCases`;
  edits.create(`${folder}/index.ts`, `${imported}\n\nexport const ${useCases} = [${name}];\n`);
  const server = path.posix.join(`services/${service}/src`, 'server.ts');
  edits.insertImport(server, `import { ${useCases} } from './${feature}/index.ts';`, `./${feature}/index.ts`);
  const isOneLine = edits.read(server).includes('useCases: [...');
  edits.insert(server, isOneLine ? `...${useCases}, ` : `\n      ...${useCases},`, isOneLine ? '...' : '\n', 'useCases: [');
}
