/**
 * Finds regular expressions on input that may take more than linear time, or of which that cannot be told. Prints each,
 * and exits with 1 if there is any.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync } from '@swc/core';
import { checkSync } from 'recheck';

const root = path.resolve(import.meta.dirname, '../..');

const sources = ['packages/*/src/**/*.ts', 'services/*/src/**/*.ts', 'gateway/src/**/*.ts'];
const notOnInput = [
  ':!*.test.ts',
  ':!*/testing/*',
  // It reads messages of at most 32,000 characters, by expressions with bounds of their own.
  ':!packages/composer/*',
  // Reads files of this repository.
  ':!packages/contract/src/wire/*',
];

/** Expressions of which the checker cannot tell, and why they are linear. */
const accepted: Readonly<Record<string, string>> = {
  '^https?:\\/\\/(?:[^/\\\\?#@]*@)?([a-z0-9_.-]{1,253}|\\[[\\da-f:.]{2,45}\\])(?::\\d*)?(?:[/\\\\?#]|$)':
    'it begins at one place, and no two neighbouring parts match the same character',
  '^\\s*(?:start over|begin anew|neu anfangen|recommence[rz]?|empieza de nuevo|empezar de nuevo)\\b\\s*[:,.–-]?\\s*':
    'it begins at one place, and what follows the words cannot fail',
  '^(http:\\/\\/(?:\\[::1\\]|[^:/?]+)):\\d{1,5}(?=[/?]|$)': 'it begins at one place, and the host ends at the first colon',
  '^(text\\/|image\\/(svg\\+xml|bmp|x-icon|vnd\\.microsoft\\.icon)|font\\/(ttf|otf)|application\\/([\\w.-]+\\+)?(json|xml|javascript|wasm|vnd\\.ms-fontobject)\\b)':
    'it begins at one place, and the only repetition ends at a plus',
};

/** Long, because a busy machine must not make an expression unknown. */
const timeoutMs = 60_000;

interface Expression {
  readonly pattern: string;
  readonly flags: string;
}

/** The literals of regular expressions below a node of a syntax tree. */
function* literalsIn(node: unknown): Generator<Expression> {
  if (typeof node !== 'object' || node === null) return;
  if ('type' in node && node.type === 'RegExpLiteral') yield node as unknown as Expression;
  else for (const child of Object.values(node)) yield* literalsIn(child);
}

// Its own JavaScript: its programs for single systems are not installed.
process.env.RECHECK_SYNC_BACKEND = 'pure';

const files = execFileSync('git', ['ls-files', '-z', ...sources, ...notOnInput], { cwd: root, encoding: 'utf8' }).split('\0');
const found = new Map<string, Expression & { readonly file: string }>();
for (const file of files.filter((name) => name !== '')) {
  const program = parseSync(readFileSync(path.join(root, file), 'utf8'), { syntax: 'typescript' });
  for (const literal of literalsIn(program.body)) found.set(`/${literal.pattern}/${literal.flags}`, { ...literal, file });
}

const findings: string[] = [];
for (const [text, { pattern, flags, file }] of found) {
  if (pattern in accepted) continue;
  const result = checkSync(pattern, flags, { checker: 'automaton', timeout: timeoutMs });
  const problem = result.status === 'vulnerable' ? `takes ${result.complexity.summary} time` : 'is too hard to tell: make it simpler';
  if (result.status !== 'safe') findings.push(`${file}: ${text}: ${problem}`);
}
const patterns = new Set(Array.from(found.values(), ({ pattern }) => pattern));
for (const pattern of Object.keys(accepted))
  if (!patterns.has(pattern)) findings.push(`nothing has the accepted expression ${pattern} any more`);
console.log(findings.join('\n'));
process.exitCode = findings.length === 0 ? 0 : 1;
