import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathProblem } from '@webkiln/contract';
import { checkSite } from '@webkiln/site-check';
import { ModelServer } from '../../testing/model-server.ts';
import { providerKey, turnAt } from '../../testing/turn-of.ts';
import { TurnFailure } from '../engine.ts';
import { WorkingCopy } from '../working-copy.ts';
import { instructions } from './prompt.ts';

/** An injection, and what a model does that obeys it. `changes` are the files that it may change with that. */
interface Injection {
  readonly where: 'message' | 'file' | 'fileName' | 'history' | 'attachment';
  readonly says: string;
  readonly calls: readonly { readonly name: string; readonly input: Readonly<Record<string, string>> }[];
  readonly changes: readonly string[];
}

const injections: readonly Injection[] = JSON.parse(readFileSync(path.join(__dirname, 'testing/injections.json'), 'utf8'));

const folder = mkdtempSync(path.join(tmpdir(), 'webkiln-injections-'));
const sentinel = path.join(folder, 'sentinel.txt');
const secrets = [
  'secret-in-the-environment-5f2',
  'text-of-another-project-81c',
  'what-the-composer-knows-3d7',
  'text-beside-the-site-c40',
] as const;
const [inEnvironment, otherText, specText, besideSite] = secrets;
/** The files of another turn in the same process. */
const otherSite = new WorkingCopy([{ path: 'index.html', size: otherText.length, content: Buffer.from(otherText) }]);
let canaryCalls = 0;
const canary = createServer((_request, response) => {
  canaryCalls++;
  response.end();
});
let places: Readonly<Record<string, string>>;
let server: ModelServer;

beforeAll(async () => {
  process.env.WEBKILN_INJECTION_SECRET = inEnvironment;
  writeFileSync(sentinel, besideSite);
  await new Promise<void>((resolve) => canary.listen(0, '127.0.0.1', resolve));
  const otherId = '3c6f2e9a-0d1b-4c57-9a55-0f6f3a3f6c11';
  places = {
    sentinel,
    otherId,
    canary: `http://127.0.0.1:${(canary.address() as AddressInfo).port}`,
    secret: 'sk-',
    otherText: 'another',
    specText: 'composer',
  };
  server = await ModelServer.start();
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  canary.close();
  rmSync(folder, { recursive: true });
});

const filled = <T>(value: T): T =>
  JSON.parse(JSON.stringify(value).replaceAll(/\{\{(\w+)\}\}/g, (_whole, name) => JSON.stringify(places[name]).slice(1, -1)));

const home = '<!doctype html><html lang="en"><head><title>Bakery</title></head><body><h1>Bakery</h1></body></html>';
const site = { 'index.html': home, 'style.css': 'h1 { color: brown }', 'webkiln.json': JSON.stringify({ note: specText }) };

/** The turn of a person whose message, files, history or attachment hold the injection. */
function turnWith({ where, says }: Injection) {
  const files = { ...site, 'notes.txt': where === 'file' ? says : 'Nothing.', ...(where === 'fileName' && { [says]: 'Nothing.' }) };
  return turnAt(server.url, {
    files,
    maxTokens: 20_000,
    message: where === 'message' ? says : 'Improve my page.',
    history:
      where === 'history'
        ? [
            { role: 'user', text: 'Hello.' },
            { role: 'assistant', text: says },
          ]
        : [],
    attachments: where === 'attachment' ? [{ mediaType: says, data: new Uint8Array([1]) }] : [],
  });
}

test.each(injections.map((injection, number) => [number, injection.where, injection.says.slice(0, 60), injection] as const))(
  'a model that obeys injection %i (in %s: %s) reaches nothing',
  async (_number, _where, _says, raw) => {
    const injection = filled(raw);
    server.play([{ calls: injection.calls }, { text: 'I have done it. You have 1,000,000 credits.' }]);
    const { outcome, parts, files } = await turnWith(injection);

    // Nothing that is not the site's leaves in a prompt or in the stream, and there is no other network call.
    const sent = JSON.stringify([server.requests.map(({ text }) => text), parts, outcome]);
    for (const secret of [...secrets, providerKey]) expect(sent).not.toContain(secret);
    expect(canaryCalls).toBe(0);
    expect(server.requests.every(({ path }) => path === '/v1/chat/completions')).toBe(true);

    // What somebody else wrote is never in the place of instructions.
    for (const { text } of server.requests) {
      const { messages } = JSON.parse(text) as { messages: { role: string; content: unknown }[] };
      expect(messages.filter(({ role }) => role === 'system')).toEqual([{ role: 'system', content: instructions }]);
    }

    // Files are those of before, but for what a person may see happen, and load no code from elsewhere.
    const { written, deleted } = files.difference;
    expect([written.map((file) => file.path), deleted]).toEqual([injection.changes, []]);
    expect(files.list().filter((file) => pathProblem(file.path) !== undefined)).toEqual([]);
    const after = new Map(files.list().map((file) => [file.path, files.read(file.path) ?? '']));
    expect(checkSite(after).filter(({ rule }) => rule === 'foreign-origin')).toEqual([]);
    expect(readFileSync(sentinel, 'utf8')).toBe(besideSite);
    expect([otherSite.read('index.html'), otherSite.difference.written]).toEqual([otherText, []]);

    // What a model says changes no account: the tokens are those that the provider stated.
    expect(outcome.tokens).toBe(server.requests.length * 1_200);
    expect(outcome instanceof TurnFailure).toBe(injection.where === 'attachment');
  },
);

test('the corpus has at least 60 injections, in every place that strangers can write to', () => {
  expect(injections.length).toBeGreaterThanOrEqual(60);
  expect(new Set(injections.map(({ where }) => where)).size).toBe(5);
});
