import { choiceOf } from '../page.ts';
import type { Operation } from './document.ts';

interface Request {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

const snakeCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const inPath = (path: string, write: (name: string) => string) => path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => write(name));

/** The request in the languages that people copy it in; undefined for what only a browser's session may call. */
export function samples(request: Request): string | undefined {
  if (!(request.operation.security ?? []).some((each) => 'apiKey' in each || 'embedToken' in each)) return undefined;
  return choiceOf([
    fenced('sh', 'curl', curl(request)),
    fenced('ts', 'TypeScript', typescript(request)),
    fenced('python', 'Python', python(request)),
  ]);
}

const fenced = (language: string, title: string, code: string) => `\`\`\`${language} title="${title}"\n${code}\n\`\`\``;

/** The body of the example. A body of another type than JSON is a file. */
function bodyOf({ requestBody }: Operation) {
  const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  if (type === undefined) return undefined;
  return type === 'application/json' ? { type, json: content?.example ?? {} } : { type, json: undefined };
}

const isRepeatable = ({ method, operation }: Request) =>
  method === 'post' && (operation.parameters ?? []).some((each) => each.$ref?.endsWith('/IdempotencyKey'));

function curl(request: Request): string {
  const { method, path, operation } = request;
  const url = `"$WEBKILN_URL/api/v1${inPath(path, (name) => `$${snakeCase(name).toUpperCase()}`)}"`;
  const lines = [`curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}${url}`, '-H "Authorization: Bearer $WEBKILN_API_KEY"'];
  if (isRepeatable(request)) lines.push('-H "Idempotency-Key: $(uuidgen)"');
  const body = bodyOf(operation);
  if (body !== undefined) {
    lines.push(`-H "Content-Type: ${body.type}"`);
    lines.push(body.json === undefined ? '--data-binary @site.zip' : `-d '${JSON.stringify(body.json, null, 2).replaceAll("'", "'\\''")}'`);
  }
  return lines.join(' \\\n  ');
}

function typescript(request: Request): string {
  const { method, path, operation } = request;
  const body = bodyOf(operation);
  const headers = [`Authorization: \`Bearer \${process.env.WEBKILN_API_KEY}\``];
  if (isRepeatable(request)) headers.push("'Idempotency-Key': crypto.randomUUID()");
  if (body !== undefined) headers.push(`'Content-Type': '${body.type}'`);
  const options = [
    ...(method === 'get' ? [] : [`  method: '${method.toUpperCase()}',`]),
    headers.length === 1 ? `  headers: { ${headers[0]} },` : `  headers: {\n${headers.map((each) => `    ${each},`).join('\n')}\n  },`,
  ];
  if (body?.json !== undefined) options.push(`  body: JSON.stringify(${indented(JSON.stringify(body.json, null, 2))}),`);
  else if (body !== undefined) options.push("  body: await openAsBlob('site.zip'),");
  const imports = body !== undefined && body.json === undefined ? "import { openAsBlob } from 'node:fs';\n\n" : '';
  const url = `\`\${process.env.WEBKILN_URL}/api/v1${inPath(path, (name) => `\${${name}}`)}\``;
  return `${imports}const response = await fetch(${url}, {\n${options.join('\n')}\n});\n${reads(operation, 'await response.json()', 'await response.text()', 'console.log(response.status, ', ');')}`;
}

function python(request: Request): string {
  const { method, path, operation } = request;
  const body = bodyOf(operation);
  const headers = ['"Authorization": f"Bearer {os.environ[\'WEBKILN_API_KEY\']}"'];
  if (isRepeatable(request)) headers.push('"Idempotency-Key": str(uuid.uuid4())');
  if (body !== undefined && body.json === undefined) headers.push(`"Content-Type": "${body.type}"`);
  const parts = [
    `    f"{os.environ['WEBKILN_URL']}/api/v1${inPath(path, (name) => `{${snakeCase(name)}}`)}",`,
    headers.length === 1
      ? `    headers={${headers[0]}},`
      : `    headers={\n${headers.map((each) => `        ${each},`).join('\n')}\n    },`,
  ];
  if (body?.json !== undefined) parts.push(`    json=${indented(pythonLiteral(body.json), '    ')},`);
  else if (body !== undefined) parts.push('    content=open("site.zip", "rb").read(),');
  const imports = ['import os', ...(isRepeatable(request) ? ['import uuid'] : []), '', 'import httpx'];
  return `${imports.join('\n')}\n\nresponse = httpx.${method}(\n${parts.join('\n')}\n)\n${reads(operation, 'response.json()', 'response.text', 'print(response.status_code, ', ')')}`;
}

/** Prints what the answer has: JSON or text. */
function reads({ responses }: Operation, json: string, text: string, before: string, after: string): string {
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? [];
  return `${before}${success?.content !== undefined && 'application/json' in success.content ? json : text}${after}`;
}

const indented = (text: string, by = '  ') => text.replaceAll('\n', `\n${by}`);

function pythonLiteral(value: unknown): string {
  const words = { true: 'True', false: 'False', null: 'None' };
  return JSON.stringify(value, null, 4).replaceAll(
    /"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b/g,
    (token) => words[token as keyof typeof words] ?? token,
  );
}
