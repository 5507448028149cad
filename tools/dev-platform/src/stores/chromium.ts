import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { unpackDebianPackages } from '../download/debian-packages.ts';
import { writeLauncher } from '../download/launcher.ts';
import type { Dependency } from './dependency.ts';

/** Chromium without its windows: half the CPU time of the whole browser in headless mode. */
const program = 'usr/lib/chromium/chromium-headless-shell';

/**
 * Uses the system's fonts and those unpacked with Chromium, relative to this file. Either folder may be empty: apt does
 * not download packages that the system has. For a font that is not there, such as `system-ui`, fontconfig alone would
 * take any.
 */
const fonts = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <dir>/usr/share/fonts</dir>
  <dir prefix="relative">../usr/share/fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
  <alias><family>serif</family><prefer><family>Liberation Serif</family></prefer></alias>
  <alias><family>monospace</family><prefer><family>Liberation Mono</family></prefer></alias>
  <match><edit name="family" mode="append_last" binding="weak"><string>Liberation Sans</string></edit></match>
</fontconfig>
`;

/** The browser for browser tests and preview images. */
export const chromium: Dependency = {
  title: 'Chromium',
  program: 'chromium-headless-shell',
  otherNames: ['chromium', 'chromium-browser', 'google-chrome'],
  pathVariable: 'CHROMIUM_PATH',
  minimum: [120, 0],
  download: {
    from: 'Debian packages (up to 170 MB)',
    folder: 'chromium-headless-shell-1',
    executable: 'run/chromium',
    async fetch(folder) {
      await unpackDebianPackages(['chromium-headless-shell', 'fonts-liberation'], folder);
      await writeLauncher(folder, 'chromium', program, { FONTCONFIG_FILE: '$here/run/fonts.conf' });
      await writeFile(path.join(folder, 'run/fonts.conf'), fonts);
    },
  },
};
