import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Fills the young generation with objects that survive, rests, and ends once that is small again. */
const program = `
  import { getHeapSpaceStatistics } from 'node:v8';
  import { giveBackAtRest } from '${new URL('./give-back.ts', import.meta.url)}';
  const young = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size;
  giveBackAtRest(200);
  let kept = [];
  for (let made = 0; young() < 16_000_000; made++) {
    kept.push({ made });
    if (kept.length > 100_000) kept = [];
  }
  setInterval(() => young() < 8_000_000 && process.exit(), 20);
`;

test('a process that rests gives back the memory of a busy time', async () => {
  const flags = ['--max-semi-space-size=16', '--gc-memory-reducer-start-delay-ms=50', '--input-type=module'];
  const child = spawn(process.execPath, [...flags, '--eval', program], { stdio: 'ignore', timeout: 60_000 });
  expect(await once(child, 'exit')).toEqual([0, null]);
}, 70_000);
