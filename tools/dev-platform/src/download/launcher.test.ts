import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { writeLauncher } from './launcher.ts';
import { runCommand } from './run-command.ts';

test('a launched program finds its libraries and settings after its folder was moved, and keeps its caller’s LD_LIBRARY_PATH', async () => {
  const parent = mkdtempSync(path.join(tmpdir(), 'launcher-'));
  try {
    const folder = path.join(parent, 'first');
    mkdirSync(path.join(folder, 'usr/lib'), { recursive: true });
    writeFileSync(path.join(folder, 'usr/lib/libpart.so.1'), '');
    writeFileSync(path.join(folder, 'part'), '#!/bin/sh\necho "$1 $LD_LIBRARY_PATH $FONTS"\n', { mode: 0o755 });
    await writeLauncher(folder, 'part', 'part', { FONTS: '$here/fonts' });
    const moved = path.join(parent, 'moved');
    renameSync(folder, moved);
    const env = { ...process.env, LD_LIBRARY_PATH: '/callers' };
    expect(await runCommand(path.join(moved, 'run/part'), ['argument'], { env })).toBe(
      `argument ${moved}/usr/lib:/callers ${moved}/fonts\n`,
    );
  } finally {
    rmSync(parent, { recursive: true });
  }
});
