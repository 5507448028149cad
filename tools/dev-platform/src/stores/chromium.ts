import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { unpackDebianPackages } from '../obtain/debian-packages.ts';
import { writeLauncher } from '../obtain/launcher.ts';
import type { Part } from './store.ts';

const program = 'usr/lib/chromium/chromium';

/** The fonts that came with it, by paths relative to this file: it is read where the system has no fonts of its own to offer. */
const fonts = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <dir prefix="relative">../usr/share/fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`;

/** The browser in which tests visit sites, and which takes preview images. */
export const chromium: Part = {
  title: 'Chromium',
  program: 'chromium',
  otherNames: ['chromium-browser', 'google-chrome'],
  pathVariable: 'CHROMIUM_PATH',
  minimum: [120, 0],
  obtained: {
    from: 'Debian packages (210 MB)',
    folder: 'chromium',
    executable: 'run/chromium',
    async fetch(folder) {
      await unpackDebianPackages(['chromium'], folder);
      // Ubuntu's package of this name holds a sign to a shop.
      if (!existsSync(path.join(folder, program))) throw new Error('the package chromium of this system holds none');
      await writeLauncher(folder, 'chromium', program, { FONTCONFIG_FILE: '$here/run/fonts.conf' });
      await writeFile(path.join(folder, 'run/fonts.conf'), fonts);
    },
  },
};
