import type { Command } from 'commander';

/** One for each command that does something, by its words. */
const examples: Readonly<Record<string, string>> = {
  'account delete': 'ada@example.com --confirm ada@example.com --revoke-keys',
  'account end-sessions': 'ada@example.com',
  'account lock': 'ada@example.com',
  'account reset-link': 'ada@example.com',
  'account show': 'ada@example.com',
  'account unlock': 'ada@example.com',
  'audit list': '--org kiln --action member.added --limit 20',
  'audit verify': '--org kiln',
  backup: '--in /backup --keep 7',
  backups: '--in /backup',
  'config check': '--env-file .env --process gateway',
  'credits grant': '5000 --org kiln --note "July"',
  'credits show': '--org kiln',
  'dead-letters discard': '6f1c… --service identity',
  'dead-letters list': '--service webhooks',
  'dead-letters replay': '--all --consumer identity-audit',
  'domain check': 'www.example.com --org kiln',
  'key create': '--org kiln --name CI --permissions read,write --expires 2030-01-31',
  'key list': '--org kiln',
  'key revoke': '6f1c… --org kiln',
  'key rotate': '6f1c… --org kiln --grace 24',
  'limits set': 'stored_bytes 20GB --org kiln',
  'limits show': '--org kiln',
  listen: '--org kiln --forward http://localhost:3000/hook',
  'mail list': '--to ada@example.com',
  'mail open': '--to ada@example.com',
  'mail show': '2',
  'member add': 'ada@example.com --org kiln --role admin',
  'member invite': 'ada@example.com --org kiln --role admin --for owner@example.com',
  'member list': '--org kiln',
  'member remove': 'ada@example.com --org kiln --revoke-keys',
  'member role': 'ada@example.com --org kiln --role owner',
  migrate: '--check --service identity',
  'model test': '--provider acme',
  'mongodb initiate': '--at mongodb:27017 --replica-set rs0',
  'mongodb key-file': '--to /keys/mongodb',
  'mongodb users': '--prefix webkiln',
  'nats users': '',
  'org create': '"Kiln Studio" --owner you@example.com',
  'org delete': 'kiln',
  'org erase': 'kiln --now --confirm kiln',
  'org export': 'kiln --to kiln.zip',
  'org list': '--json',
  'org rename': 'kiln "Kiln & Daughters"',
  'org restore': 'kiln',
  'org resume': '--org kiln',
  'org show': 'kiln',
  'org suspend': '--org kiln',
  restore: '--from latest --repository s3:https://s3.example.com/bucket/webkiln --replace --confirm webkiln',
  'secrets create': '--namespace webkiln',
  'secrets files': '--in ./secrets',
  'secrets fingerprints': '--to fingerprints.json',
  'site restore': 'harbour',
  'site take-down': 'https://harbour.sites.example.com --reason "phishing, case 4711"',
  status: '--backups /backup --json',
  'webhook list': '--org kiln',
  'webhook replay': '6f1c… --org kiln --since 2026-11-25T08:00:00Z',
};

/** Ends the help of every command with its example. Throws for a command without one. */
export function addExamples(program: Command, words: readonly string[] = []): void {
  for (const command of program.commands) {
    const own = [...words, command.name()];
    addExamples(command, own);
    if (command.commands.length > 0) continue;
    const example = examples[own.join(' ')];
    if (example === undefined) throw new Error(`${own.join(' ')} has no example`);
    command.addHelpText('after', `\nExample: ${`webkiln ${own.join(' ')} ${example}`.trim()}`);
  }
}
