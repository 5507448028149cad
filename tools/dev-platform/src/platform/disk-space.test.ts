import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DiskSpace } from './disk-space.ts';

test('a write without room stops nothing: it is said once what is full and what it needs, and made up for once there is room', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'disk-'));
  const said: string[] = [];
  const room = Promise.withResolvers<void>();
  const disk = new DiskSpace(folder, (name, text, level) => said.push(`${level ?? 'info'} ${name} ${text}`), room.resolve);
  // Every write to this device fails with ENOSPC.
  let log = openSync('/dev/full', 'a');
  try {
    disk.start();
    for (const line of ['one\n', 'two\n', 'three\n']) disk.spare(() => writeSync(log, line));
    expect(said).toEqual([
      `error disk is full at ${folder}: new data is refused and logs are not written until it has room again. What was acknowledged is kept. Free at least 500 MB there`,
    ]);
    closeSync(log);
    log = openSync(path.join(folder, 'a.log'), 'a');
    await room.promise;
    expect(said.slice(1)).toEqual([`info disk has room again at ${folder}: everything goes on`]);
    expect(readFileSync(path.join(folder, 'a.log'), 'utf8')).toBe('three\n');
    expect(() => disk.spare(() => writeSync(-1, 'x'))).toThrow();
  } finally {
    disk.stop();
    closeSync(log);
    rmSync(folder, { recursive: true });
  }
});
