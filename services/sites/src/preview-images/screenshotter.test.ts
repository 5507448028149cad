import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import path from 'node:path';
import { until } from '@webkiln/store/testing';
import { Contents } from '../contents/contents.ts';
import { chromiumPath } from '../testing/chromium.ts';
import { FakePublisher, type TestFile } from '../testing/fake-publisher.ts';
import { serveSites } from '../testing/served-sites.ts';
import { answersOf } from './capture-screenshot.ts';
import { Screenshotter } from './screenshotter.ts';

jest.setTimeout(900_000);

const origin = 'http://shop.sites.test';
const before = process.env.TMPDIR;
let folder: string;
/** No test depends on the speed of a capture. */
const patient = { withScriptsMs: 120_000, withoutScriptsMs: 120_000 };
let program: string;

beforeAll(async () => {
  program = await chromiumPath();
});
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'pictures-'));
  process.env.TMPDIR = folder;
});
afterEach(() => {
  if (before === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = before;
  rmSync(folder, { recursive: true });
});

const page = (body: string, background = 'red'): TestFile => ({
  content: `<!doctype html><body style="background: ${background}">${body}`,
});

/** The pictures of a site with these files. */
async function screenshot(files: Record<string, TestFile>, patience: typeof patient | undefined = patient) {
  const published = new FakePublisher();
  published.publish('shop', files);
  await using sites = await serveSites(published);
  const site = await sites.resolutions.find('shop');
  if (site === null) throw new Error('nothing is published');
  const contents = new Contents(64 * 1024 * 1024);
  const scene = { url: `${origin}/`, answer: answersOf(site, origin, contents) };
  return await new Screenshotter(program, { sandbox: 'preferred', timeouts: patience }).capture(scene);
}

const picture = async (...given: Parameters<typeof screenshot>) => String((await screenshot(...given))?.image.toString('base64'));

const blank = (background: string) => picture({ 'index.html': page('', background) });

test('a capture is a PNG of 1280 x 800 and a WebP of the page and its files, and leaves nothing behind', async () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="640" height="400"><rect width="640" height="400" fill="green"/></svg>';
  const files = {
    'index.html': page('<link rel=stylesheet href=look/style.css><script src=/script.js></script>', ''),
    'look/style.css': { content: '.seen { background: url(green.svg) }' },
    'look/green.svg': { content: svg, type: 'image/svg+xml' },
    'script.js': { content: 'document.body.className = "seen"', type: 'text/javascript' },
  };
  const { image, small } = (await screenshot(files)) ?? { image: Buffer.alloc(0), small: Buffer.alloc(0) };
  expect(image.subarray(1, 4).toString()).toBe('PNG');
  expect([image.readUInt32BE(16), image.readUInt32BE(20)]).toEqual([1280, 800]);
  expect(small.subarray(8, 12).toString()).toBe('WEBP');
  expect(image.toString('base64')).toBe(await blank('green'));
  expect(readdirSync(folder)).toEqual([]);
});

test('a page that opens dialogs is captured', async () => {
  const boxes = page('<script>alert(1); confirm(2); prompt(3); print(); document.body.style.background = "green"</script>');
  expect(await picture({ 'index.html': boxes })).toBe(await blank('green'));
});

test('a page whose scripts never end is captured without them', async () => {
  const endless = page('<script>for (;;) alert("Stay");</script>');
  expect(await picture({ 'index.html': endless }, { ...patient, withScriptsMs: 5_000 })).toBe(await blank('red'));
});

test('a page cannot exceed the memory limit', async () => {
  const script = 'const all = []; for (let mb = 0; mb < 1024; mb++) all.push(new Uint8Array(2 ** 20).fill(1));';
  const greedy = page(`<script>${script} document.body.style.background = "green"</script>`);
  expect(await picture({ 'index.html': greedy }, { ...patient, withScriptsMs: 15_000 })).toBe(await blank('red'));
});

test('a page reaches neither this machine nor another nor a file, and is captured all the same', async () => {
  const reached: string[] = [];
  const tcp = createServer((socket) => {
    reached.push('TCP');
    socket.destroy();
  });
  await once(tcp.listen(0, '0.0.0.0'), 'listening');
  const { port } = tcp.address() as { port: number };
  const udp = createSocket('udp4').on('message', () => reached.push('UDP'));
  await once(udp.bind(port, '0.0.0.0'), 'listening');
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const targets = own.filter(({ family }) => family === 'IPv4').map(({ address }) => `${address}:${port}`);
  try {
    const hostile = `<body style="background: red"><script>
      const attempt = (work) => { try { Promise.resolve(work()).catch(() => 0) } catch {} };
      const link = (rel, href) => { const link = document.createElement('link'); Object.assign(link, { rel, href }); document.head.append(link) };
      const frame = (src) => { const frame = document.createElement('iframe'); frame.hidden = true; frame.src = src; document.body.append(frame) };
      for (const target of [...${JSON.stringify(targets)}, 'localhost:${port}', '169.254.169.254', 'metadata.google.internal']) {
        const url = 'http://' + target + '/';
        attempt(() => fetch(url, { mode: 'no-cors' }));
        attempt(() => new WebSocket('ws://' + target));
        attempt(() => new WebTransport('https://' + target).ready);
        attempt(() => new EventSource(url));
        attempt(() => navigator.sendBeacon(url, 'x'));
        attempt(() => { new Image().src = url });
        attempt(() => window.open(url));
        for (const rel of ['preconnect', 'dns-prefetch', 'prefetch', 'stylesheet', 'manifest', 'icon']) attempt(() => link(rel, url));
        frame(url);
        const ice = { urls: ['stun:' + target, 'turn:' + target, 'turn:' + target + '?transport=tcp'], username: 'u', credential: 'c' };
        const peer = new RTCPeerConnection({ iceServers: [ice] });
        peer.createDataChannel('out');
        attempt(async () => peer.setLocalDescription(await peer.createOffer()));
      }
      attempt(() => navigator.serviceWorker.register('/worker.js'));
      attempt(() => new Worker('/worker.js'));
      frame('file:///etc/passwd');
      attempt(() => fetch('file:///etc/passwd').then((file) => file.text()).then((text) => document.body.append(text)));
      setTimeout(() => { location = 'http://${targets[0]}/away' }, 50);
      setTimeout(() => { location = 'file:///etc/passwd' }, 100);
    </script>`;
    const worker = `for (const target of ${JSON.stringify(targets)}) fetch('http://' + target, { mode: 'no-cors' })`;
    const files = { 'index.html': { content: hostile }, 'worker.js': { content: worker, type: 'text/javascript' } };
    expect(await picture(files, { ...patient, withScriptsMs: 15_000 })).toBe(await blank('red'));
    expect(reached).toEqual([]);
  } finally {
    tcp.close();
    udp.close();
  }
});

test('the browser inherits none of our environment', async () => {
  const printsEnv = path.join(folder, 'browser');
  writeFileSync(printsEnv, `#!/bin/sh\nenv > ${folder}/env\n`, { mode: 0o755 });
  process.env.PRINCIPAL_SIGNING_KEY = 'secret';
  try {
    expect(await new Screenshotter(printsEnv, { sandbox: 'preferred' }).capture({ url: origin, answer: async () => null })).toBeUndefined();
  } finally {
    delete process.env.PRINCIPAL_SIGNING_KEY;
  }
  const environment = readFileSync(path.join(folder, 'env'), 'utf8').trim().split('\n');
  const names = environment.map((line) => line.split('=')[0]);
  expect(names.filter((name) => !['PWD', 'SHLVL', '_', 'OLDPWD'].includes(String(name))).sort()).toEqual(
    ['DBUS_SESSION_BUS_ADDRESS', 'HOME', 'LANG', 'PATH', 'TMPDIR', 'TZ'].sort(),
  );
});

test('stopping ends every process of the browser without waiting for the page', async () => {
  const stopped = new Screenshotter(program, { sandbox: 'preferred' });
  const asked = Promise.withResolvers<void>();
  const answer = async () => {
    asked.resolve();
    return { status: 200, headers: ['Content-Type', 'text/html'], body: Buffer.from('<script>for (;;);</script>') };
  };
  const taking = expect(stopped.capture({ url: origin, answer })).rejects.toMatchObject({ code: 'unavailable' });
  await asked.promise;
  stopped.stop();
  await taking;
  await until(() => processesIn(folder).length === 0);
  expect(readdirSync(folder)).toEqual([]);
});

const processesIn = (place: string) =>
  readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    .filter((pid) => commandOf(pid).includes(place));

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return ''; // it has ended
  }
}

test('a page is printed as PDF with the files that it is given, and reaches no others', async () => {
  const asked: string[] = [];
  const files = new Map([
    [
      `${origin}/`,
      ['text/html', `<!doctype html><link rel="stylesheet" href="/a.css"><img src="https://elsewhere.test/x.png"><h1>Invoice</h1>`],
    ],
    [`${origin}/a.css`, ['text/css', '@page { size: A5 } h1 { color: green }']],
  ]);
  const pdf = await new Screenshotter(program, { sandbox: 'preferred' }).print({
    url: `${origin}/`,
    answer: async (_method, url) => {
      asked.push(url);
      const [type, text] = files.get(url) ?? [];
      return text === undefined ? null : { status: 200, headers: ['Content-Type', type ?? ''], body: Buffer.from(text) };
    },
  });
  expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
  // A5, in points of 1/72 inch.
  expect(pdf.toString('latin1')).toMatch(/\/MediaBox \[0 0 4(19|20)(\.\d+)? 59[45]/);
  expect(asked).toEqual(expect.arrayContaining([...files.keys(), 'https://elsewhere.test/x.png']));
});
