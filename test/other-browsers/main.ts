/** `npm run journeys -- --browser firefox`: what newcomers do, in a browser that is no Chromium. Prints a table. */
import { parseArgs } from 'node:util';
import { startPlatform } from '../harness/test-platform.ts';
import { type Journey, journeys } from './journeys.ts';
import { type BrowserName, browserNames, Session } from './session.ts';
import { User } from './user.ts';

const help = `npm run journeys -- --browser ${browserNames.join('|')} [--screenshot FILE]

Walks through what newcomers do in a browser on a platform of its own, and prints how long each journey took.
Firefox and its driver are fetched if they are missing; WebKit needs Debian's package webkit2gtk-driver and a display,
such as that of xvfb-run.

  --screenshot FILE   keep what was shown when a journey failed`;

const { values } = parseArgs({ options: { browser: { type: 'string' }, screenshot: { type: 'string' }, help: { type: 'boolean' } } });
const browser = browserNames.find((name) => name === values.browser);
if (values.help || browser === undefined) {
  console.log(help);
  process.exit(values.help ? 0 : 2);
}

await using platform = await startPlatform();
const rows: string[] = [];
for (const journey of journeys) rows.push(await walk(browser, journey));
console.log([`\n| in ${browser} | seconds | at most | what was seen |`, '|---|---|---|---|', ...rows].join('\n'));

async function walk(name: BrowserName, { name: what, maxSeconds, go }: Journey): Promise<string> {
  await using session = await Session.start(name);
  const user = new User(session);
  const since = performance.now();
  let seen: string;
  try {
    seen = await go(user, platform.facts);
  } catch (error) {
    seen = `FAILED: ${(error as Error).message}`;
    if (values.screenshot !== undefined) await user.keep(values.screenshot);
  }
  const seconds = (performance.now() - since) / 1000;
  if (seen.startsWith('FAILED') || seconds > (maxSeconds ?? Number.POSITIVE_INFINITY)) process.exitCode = 1;
  console.error(`${what}: ${seconds.toFixed(1)} s, ${seen}`);
  return `| ${what} | ${seconds.toFixed(1)} | ${maxSeconds ?? ''} | ${seen} |`;
}
