/**
 * Runs one guarantee on its own platform: `node run-guarantee.ts <name> <scale> <options of neighbours, as JSON>`.
 * The last line of output is the outcome as JSON.
 */
import { guarantees } from './guarantees.ts';

const [name, scale, options = ''] = process.argv.slice(2);
const chosen = guarantees.find((each) => each.name === name);
if (chosen === undefined) throw new Error(`no guarantee is named ${name}`);
const scaled = (count: number) => Math.max(1, Math.round(count * Number(scale)));

console.log(JSON.stringify(await chosen.run(scaled, JSON.parse(options))));
process.exit();
