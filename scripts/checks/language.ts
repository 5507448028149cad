/** The rules of plain English that a program can check. Prints each line that breaks one, and exits with 1 if there is any. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');
const maxColumns = 120;

interface Rule {
  readonly message: string;
  breaks(line: string, previous: string): boolean;
}

const comment = /^\s*(?:\/\/|\/?\*)/;
const opensDocstring = /^\s*\/\*\*\s*$/;
/** Words that refer to a subject which the reader has to guess. */
const missingSubject = '(?:Those|That of|Of|Whoever|Whether)\\b';
const startsDocstring = new RegExp(`^\\s*/\\*\\*\\s+${missingSubject}`);
const continuesDocstring = new RegExp(`^\\s*\\*\\s+${missingSubject}`);
const rules: readonly Rule[] = [
  { message: 'a user, caller or service is "it" or "they"', breaks: (line) => /(?:\/\/|^\s*\/?\*).*\b(?:he|his|him)\b/i.test(line) },
  { message: 'a limit is called max…', breaks: (line) => /\b(?:[a-z][A-Za-z]*Most|most[A-Z][A-Za-z]*)\b/.test(line) },
  {
    message: 'a docstring starts with its subject',
    breaks: (line, previous) => startsDocstring.test(line) || (opensDocstring.test(previous) && continuesDocstring.test(line)),
  },
  { message: `a comment has at most ${maxColumns} columns`, breaks: (line) => comment.test(line) && line.length > maxColumns },
];

const thisFile = path.relative(root, import.meta.filename);
const files = execFileSync('git', ['ls-files', '-z', '*.ts', '*.tsx', `:!${thisFile}`], { cwd: root, encoding: 'utf8' });
const findings = files.split('\0').flatMap((file) => {
  const lines = file === '' ? [] : readFileSync(path.join(root, file), 'utf8').split('\n');
  return lines.flatMap((line, at) =>
    rules.filter((rule) => rule.breaks(line, lines[at - 1] ?? '')).map(({ message }) => `${file}:${at + 1}: ${message}\n  ${line.trim()}`),
  );
});
console.log(findings.join('\n'));
process.exitCode = findings.length === 0 ? 0 : 1;
