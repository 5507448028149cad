import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

interface Described {
  readonly operationId: string;
  readonly 'x-roles': readonly string[];
}

/**
 * Writes gen/operation-roles.ts: the roles of members, from the most to the fewest rights, and the roles that may call
 * each operation of docs/openapi.json. One constant each, so that the bundle contains only those that are used.
 */
export function writeOperationRoles(): void {
  const { paths, components } = JSON.parse(readFileSync(path.join(import.meta.dirname, '../docs/openapi.json'), 'utf8'));
  const operations = Object.values(paths as Record<string, Record<string, Described>>).flatMap((methods) => Object.values(methods));
  const lines = operations.map(({ operationId, 'x-roles': roles }) => `export const ${operationId} = ${JSON.stringify(roles)} as const;\n`);
  const memberRoles = `export const memberRoles = ${JSON.stringify(components.schemas.MemberRole.enum)} as const;\n`;
  const folder = path.join(import.meta.dirname, 'gen');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'operation-roles.ts'), [memberRoles, ...lines].join(''));
}
