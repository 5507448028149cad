/** Tries one promise on a platform of its own: `node keep-promise.ts <name> <scale>`; the last line is the outcome as JSON. */
import { promises } from './promises.ts';

const [name, scale] = process.argv.slice(2);
const promised = promises.find((each) => each.name === name);
if (promised === undefined) throw new Error(`nothing is promised under the name ${name}`);
const scaled = (count: number) => Math.max(1, Math.round(count * Number(scale)));

console.log(JSON.stringify(await promised.run(scaled)));
process.exit();
