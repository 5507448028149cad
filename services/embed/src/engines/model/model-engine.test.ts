import { randomUUID } from 'node:crypto';
import type { ModelAnswer } from '../../testing/model-answer.ts';
import { ModelServer } from '../../testing/model-server.ts';
import { providerKey, turnAt } from '../../testing/turn-of.ts';
import { TurnFailure } from '../engine.ts';
import { SiteChecks } from './site-checks.ts';

let server: ModelServer;
beforeAll(async () => {
  server = await ModelServer.start();
});
afterAll(() => server[Symbol.asyncDispose]());

const page = (body: string, head = '') =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Bakery</title>${head}</head><body>${body}</body></html>`;
const home = page('<h1>Bakery</h1><p>Bread "with" ünïcode \\ and more.</p>');
const write = (path: string, content: string) => ({ name: 'write_file', input: { path, content } });

/** Plays answers and runs one turn. */
const turn = (answers: readonly ModelAnswer[], options: Parameters<typeof turnAt>[1] = {}) => {
  server.play(answers);
  return turnAt(server.url, options);
};

const failureOf = async (answers: readonly ModelAnswer[], options: Parameters<typeof turnAt>[1] = {}) => {
  const { outcome, files } = await turn(answers, options);
  expect(outcome).toBeInstanceOf(TurnFailure);
  expect(JSON.stringify([outcome.tokens, (outcome as TurnFailure).message])).not.toContain(providerKey);
  return { message: (outcome as TurnFailure).message, tokens: outcome.tokens, files };
};

const builds: readonly ModelAnswer[] = [
  { calls: [{ name: 'list_files', input: {} }] },
  { text: 'I write it.', calls: [write('index.html', home), write('style.css', 'h1 { color: brown }')] },
  { calls: [{ name: 'edit_file', input: { path: 'style.css', passage: 'brown', replacement: 'green' } }] },
  { text: 'Your bakery has a page.' },
];

test.each(['chat', 'messages'])('a model builds a page with tools: %s', async (model) => {
  const { outcome, parts, text, files } = await turn(builds, { model });
  expect(outcome).toEqual({ summary: 'Your bakery has a page.', tokens: 4 * 1_200 });
  expect(files.read('index.html')).toBe(home);
  expect(files.read('style.css')).toBe('h1 { color: green }');
  expect(text).toBe('I write it.Your bakery has a page.');
  const changed = parts.flatMap((part) => (part.type === 'data-file' ? [part.data] : []));
  expect(changed).toEqual(['index.html', 'style.css', 'style.css'].map((path) => ({ path, action: 'written' })));
  const calls = parts.flatMap((part) => (part.type === 'tool-input-available' ? [part.toolName] : []));
  expect(calls).toEqual(['list_files', 'write_file', 'write_file', 'edit_file']);
  expect(parts.filter(({ type }) => type === 'tool-output-available')).toHaveLength(4);
});

test('a provider that states no usage is counted by the length of what was sent and written', async () => {
  const { outcome } = await turn([{ text: 'a'.repeat(4_000), usage: null }]);
  expect(outcome.tokens).toBeGreaterThan(1_000);
  expect(outcome.tokens).toBeLessThan(4_000);
});

test('contents of files are shortened in the stream', async () => {
  const { parts } = await turn([
    { calls: [write('index.html', page(`<h1>Bakery</h1>${'<p>Bread</p>'.repeat(1_000)}`))] },
    { text: 'Done.' },
  ]);
  expect(JSON.stringify(parts).length).toBeLessThan(6_000);
});

test('what the check finds goes back to the model, twice at most', async () => {
  const broken = page('<h1>Bakery</h1><a href="menu.html">Menu</a>');
  const { outcome, files } = await turn([
    { calls: [write('index.html', broken)] },
    { text: 'Done.' },
    { text: 'I see no problem.' },
    { text: 'Still none.' },
    { text: 'Never asked for.' },
  ]);
  expect(server.requests).toHaveLength(4);
  expect(server.requests.map(({ text }) => text.split('The site was checked').length - 1)).toEqual([0, 0, 1, 2]);
  expect(server.requests[2]?.text).toContain('menu.html');
  expect(outcome).toMatchObject({ summary: 'Still none.' });
  expect(files.read('index.html')).toBe(broken);
});

test('a model is told to write lang and dir, and reads where a page that runs from right to left lacks it', async () => {
  const arabic = home.replace('lang="en"', 'lang="ar"');
  await turn([{ calls: [write('index.html', arabic)] }, { text: 'Done.' }, { text: 'Done.' }, { text: 'Done.' }]);
  expect(server.requests[0]?.text).toContain('lang of its text, and dir=');
  expect(server.requests[2]?.text).toContain('The language ar runs from right to left');
  await turn([{ calls: [write('index.html', arabic.replace('lang="ar"', 'lang="ar" dir="rtl"'))] }, { text: 'Done.' }]);
  expect(server.requests).toHaveLength(2);
});

test('what was wrong before the turn is not given to the model', async () => {
  const files = { 'index.html': page('<h1>Bakery</h1><a href="menu.html">Menu</a>') };
  await turn([{ calls: [write('about.html', home)] }, { text: 'Done.' }], { files });
  expect(server.requests).toHaveLength(2);
});

test('a check that takes too long counts as none: the model is told, what needs it is refused, and the turn goes on', async () => {
  const checks = new SiteChecks({ timeoutMs: 1 });
  const large = page(`<h1>Bakery</h1>${'<p><a href="/menu">Menu</a>'.repeat(15_000)}`);
  const { outcome, files } = await turn(
    [
      {
        calls: [
          { name: 'delete_file', input: { path: 'menu.html' } },
          { name: 'check_site', input: {} },
          { name: 'edit_file', input: { path: 'index.html', passage: '<h1>Bakery</h1>', replacement: '' } },
        ],
      },
      { text: 'The menu is gone.' },
    ],
    { checks, files: { 'index.html': large, 'menu.html': home } },
  );
  await checks.close();
  expect(outcome).toMatchObject({ summary: 'The menu is gone.' });
  expect(server.requests[1]?.text).toContain('was not checked');
  expect(server.requests[1]?.text).toContain('could not be checked in time');
  expect(files.list().map(({ path }) => path)).toEqual(['index.html']);
  expect(files.read('index.html')).toBe(large);
});

test('a passage that is missing or occurs twice changes nothing, and the model is told why', async () => {
  const edit = (passage: string) => ({ name: 'edit_file', input: { path: 'a.css', passage, replacement: 'x' } });
  const { files } = await turn([{ calls: [edit('gone'), edit('a')] }, { text: 'Done.' }], {
    files: { 'a.css': 'a a', 'index.html': home },
  });
  expect(files.read('a.css')).toBe('a a');
  expect(server.requests[1]?.text).toMatch(/does not occur.*occurs more than once/s);
});

test('images go to a model that takes them, and a sentence comes from one that does not', async () => {
  const attachments = [{ mediaType: 'image/png', data: new Uint8Array([1, 2, 3]) }];
  await turn([{ text: 'A picture.' }], { attachments });
  expect(server.requests[0]?.text).toContain('data:image/png;base64,AQID');
  const { message, tokens } = await failureOf([], { attachments, model: 'plain' });
  expect([message, tokens, server.requests]).toEqual([expect.stringContaining('Plain takes no images'), 0, []]);
});

test('pictures of the site go to a model that sees; another one is told of their files and what they show', async () => {
  const files = [480, 960, 1600].map((width) => ({ path: `pictures/oven-${width}.webp`, width, height: width, format: 'webp' as const }));
  const pictures = [{ id: randomUUID(), name: 'oven', alt: 'Our oven', files, created_at: '2026-01-01T00:00:00.000Z' }];
  const readFile = async (path: string) => Buffer.from(path);
  const image = `data:image/webp;base64,${Buffer.from('pictures/oven-960.webp').toString('base64')}`;
  await turn([{ text: 'A picture.' }], { pictures, readFile });
  expect(server.requests[0]?.text).toContain(image);
  await turn([{ text: 'A picture.' }], { pictures, readFile, model: 'plain' });
  expect(server.requests[0]?.text).not.toContain('data:image');
  expect(server.requests[0]?.text).toMatch(/pictures\/oven-1600\.webp \(1600×1600\).*Our oven/);
});

test('of a long history the newest messages go to the model', async () => {
  const history = [0, 1, 2].flatMap((n) => [
    { role: 'user' as const, text: `question ${n} ${'x'.repeat(3_500)}` },
    { role: 'assistant' as const, text: `answer ${n}` },
  ]);
  await turn([{ text: 'Hello.' }], { history, model: 'plain' });
  const sent = server.requests[0]?.text ?? '';
  expect(['question 0', 'question 1', 'question 2', 'answer 2'].map((words) => sent.includes(words))).toEqual([false, true, true, true]);
});

test('a fault of ours ends the turn, and neither the model nor the stream sees it', async () => {
  const parts: unknown[] = [];
  const site = { list: () => [], read: () => undefined, delete: () => undefined, write: () => fault() };
  const fault = () => {
    throw new Error('secret-of-the-platform');
  };
  const options = { site, emit: (part: unknown) => parts.push(part) };
  await expect(turn([{ calls: [write('index.html', home)] }, { text: 'Done.' }], options)).rejects.toThrow('secret-of-the-platform');
  expect(JSON.stringify([parts, server.requests])).not.toContain('secret-of-the-platform');
});

const failures: readonly (readonly [string, readonly ModelAnswer[], string])[] = [
  ['a refused key', [{ status: 401, body: { error: { message: `Incorrect API key: ${providerKey}` } } }], "refuses the platform's key"],
  ['a key that Google refuses', [{ status: 400, body: { error: { status: 'API_KEY_INVALID' } } }], "refuses the platform's key"],
  ['an unknown model', [{ status: 404 }], 'does not know this model'],
  ['too many requests', [{ status: 429, headers: { 'retry-after': '20' } }], 'Try again in 20 seconds.'],
  ['an account without money', [{ status: 429, body: { error: { code: 'insufficient_quota' } } }], 'is used up'],
  ['a provider in trouble', [{ status: 500 }], 'has a problem of its own'],
  ['a context that is too long', [{ status: 400, body: { error: { message: 'maximum context length' } } }], 'too long for this model'],
  ['a refusal', [{ text: 'I cannot.', finish: 'content_filter' }], 'declines to do this'],
  ['an error in mid-stream', [{ text: 'I beg', fails: 'error' }], 'broke off'],
  ['a connection that is cut in mid-stream', [{ text: 'I beg', fails: 'cut' }], 'broke off'],
  ['output without end', [{ fails: 'endless' }], 'wrote without end'],
  ['malformed arguments, twice', Array(2).fill({ calls: [{ name: 'write_file', input: '{"path": "a.htm' }] }), 'wrongly twice'],
  ['arguments of the wrong form, twice', Array(2).fill({ calls: [{ name: 'write_file', input: { path: 7 } }] }), 'wrongly twice'],
];

test.each(failures)('%s ends the turn with a sentence', async (_name, answers, sentence) => {
  const { message } = await failureOf([{ calls: [{ name: 'list_files', input: {} }] }, ...answers]);
  expect(message).toContain(sentence);
});

test('a model may correct a call with malformed arguments once', async () => {
  const { outcome, files } = await turn([
    { calls: [{ name: 'write_file', input: '{"path": "index.html", "cont' }] },
    { calls: [write('index.html', home)] },
    { text: 'Done.' },
  ]);
  expect(outcome).toMatchObject({ summary: 'Done.' });
  expect(files.read('index.html')).toBe(home);
});

test('a model that falls silent ends the turn, and its request is given up', async () => {
  const { message } = await failureOf([{ text: 'I beg', fails: 'hang' }], { stallMs: 300 });
  expect(message).toContain('has stopped answering');
  await server.untilAbandoned(1);
});

test('a turn that takes too long ends', async () => {
  const { message } = await failureOf([{ text: 'I beg', fails: 'hang' }], { turnMs: 300 });
  expect(message).toContain('took too long');
});

test('a stopped turn ends at once, with the tokens spent until then, and its request is given up', async () => {
  const stop = new AbortController();
  const emit = ({ type }: { type: string }) => type === 'text-delta' && stop.abort();
  const { message, tokens } = await failureOf([builds[0] ?? {}, { text: 'I beg', fails: 'hang' }], { signal: stop.signal, emit });
  expect(message).toBe('The turn was stopped.');
  expect(tokens).toBeGreaterThan(1_200);
  await server.untilAbandoned(1);
});

test('a model that calls tools without end is stopped by the tokens of the turn, and what it did is kept', async () => {
  server.play((_request, number) => ({ calls: [write(`page-${number}.html`, home)] }));
  const { outcome, text, files } = await turnAt(server.url, { maxTokens: 12_000 });
  expect(outcome.tokens).toBeLessThanOrEqual(12_000);
  expect(text).toContain('has used what one turn may spend');
  expect(files.list().length).toBe(server.requests.length);
});

test('a model that calls tools without end is stopped after 60 steps', async () => {
  server.play(() => ({ calls: [{ name: 'list_files', input: {} }], usage: { input: 10, output: 10 } }));
  const { text } = await turnAt(server.url);
  expect([server.requests.length, text]).toEqual([60, expect.stringContaining('as many steps as one turn may')]);
});

test('every request bounds its output by the tokens left', async () => {
  await turn([{ text: 'Hello.' }], { maxTokens: 5_000 });
  const { max_tokens } = JSON.parse(server.requests[0]?.text ?? '{}');
  expect(max_tokens).toBeGreaterThan(1_000);
  expect(max_tokens).toBeLessThan(5_000);
});
