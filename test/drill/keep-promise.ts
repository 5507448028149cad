/** Tries one promise on a platform of its own: `node keep-promise.ts <name> <scale>`; the last line is the outcome as JSON. */
import { startPlatform } from '../harness/test-platform.ts';
import { promises } from './promises.ts';

const [name, scale] = process.argv.slice(2);
const promised = promises.find((each) => each.name === name);
if (promised === undefined) throw new Error(`nothing is promised under the name ${name}`);
const scaled = (count: number) => Math.max(1, Math.round(count * Number(scale)));

const platform = await startPlatform(promised.platform);
try {
  const outcome = await promised.run(platform, scaled);
  console.log(JSON.stringify(outcome));
} finally {
  await platform[Symbol.asyncDispose]();
}
process.exit();
