/** Writes docs/openapi.json from the contract; with --check only says whether it is current. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { openApiDocument } from '../packages/contract/src/openapi.ts';

const file = path.resolve(import.meta.dirname, '../docs/openapi.json');
const document = `${JSON.stringify(openApiDocument('http://localhost:8080/api/v1'), null, 2)}\n`;

if (!process.argv.includes('--check')) {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, document);
} else if (readFileSync(file, 'utf8') !== document) {
  console.error('docs/openapi.json differs from the contract: run `node scripts/openapi.ts` and commit it.');
  process.exitCode = 1;
}
