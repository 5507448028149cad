import { rm } from 'node:fs/promises';
import path from 'node:path';
import { unpackDebianPackages } from '../download/debian-packages.ts';
import { writeLauncher } from '../download/launcher.ts';
import { runCommand } from '../download/run-command.ts';
import type { Dependency } from './dependency.ts';

/** For journeys in another browser than Chromium. */
export const firefox: Dependency = {
  title: 'Firefox',
  program: 'firefox-esr',
  otherNames: ['firefox'],
  pathVariable: 'FIREFOX_PATH',
  minimum: [128, 0],
  download: {
    from: 'Debian packages (up to 100 MB)',
    folder: 'firefox-esr-1',
    executable: 'run/firefox',
    async fetch(folder) {
      await unpackDebianPackages(['firefox-esr'], folder);
      await writeLauncher(folder, 'firefox', 'usr/lib/firefox-esr/firefox-esr');
    },
  },
};

const geckodriverVersion = '0.37.1';

/** Drives Firefox. No registry that we use has it as a binary. */
export const geckodriver: Dependency = {
  title: 'geckodriver',
  program: 'geckodriver',
  pathVariable: 'GECKODRIVER_PATH',
  download: {
    from: 'Rust source, which needs cargo',
    folder: `geckodriver-${geckodriverVersion}`,
    executable: 'bin/geckodriver',
    async fetch(folder) {
      const build = path.join(folder, 'build');
      const env = { ...process.env, CARGO_TARGET_DIR: build };
      await runCommand('cargo', ['install', 'geckodriver', '--version', geckodriverVersion, '--locked', '--root', folder], { env });
      await rm(build, { recursive: true });
    },
  },
};
