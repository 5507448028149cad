/** `npm run images`: builds the container images of all processes. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { buildImage, heapOf, type ImageName, imageNames, maxImageBytes, writeImageFiles } from '../tools/dev-platform/src/index.ts';

const usage = `npm run images -- [options]      builds the container images of all processes; docs/images.md

  --process NAME      one process, or several with commas (${imageNames.join(', ')})
  --repository NAME   before the process's name; default webkiln
  --tag TAG           default: the version in package.json
  --base IMAGE        the base image: Node at /nodejs/bin/node, user 65532
  --builder COMMAND   docker (default), podman or buildah, with its own options: "podman --cgroup-manager cgroupfs"
  --save FOLDER       writes <process>.tar for machines without a registry
  --files FOLDER      only writes what each image holds below /app
  --version VERSION   default: the version in package.json`;

const text = { type: 'string' } as const;
const { values } = parseArgs({
  options: {
    ...{ process: text, repository: text, tag: text, base: text, builder: text, save: text, files: text, version: text },
    help: { type: 'boolean' },
  },
});
if (values.help) console.log(usage);
else await build();

async function build(): Promise<void> {
  const { version: current } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string };
  const { version = current, tag = version, repository = 'webkiln', builder = 'docker', base, save } = values;
  const names = namesOf(values.process);
  if (values.files !== undefined) return writeImageFiles(names, path.resolve(values.files), version);
  if (save !== undefined) mkdirSync(save, { recursive: true });
  const files = mkdtempSync(path.join(tmpdir(), 'webkiln-images-'));
  try {
    await writeImageFiles(names, files, version);
    for (const name of names) {
      const nodeFlags = name === 'cli' ? [] : heapOf(name);
      const { image, bytes } = buildImage(name, { builder: builder.split(' '), nodeFlags, files, repository, tag, base, version, save });
      console.log(`${image}  ${Math.round(bytes / 1e6)} MB`);
      if (bytes > maxImageBytes)
        throw new Error(`${image} is larger than ${maxImageBytes / 1e6} MB: see what its /app holds, and its base.`);
    }
  } finally {
    rmSync(files, { recursive: true });
  }
}

function namesOf(list: string | undefined): readonly ImageName[] {
  if (list === undefined) return imageNames;
  const asked = list.split(',');
  const unknown = asked.filter((name) => !(imageNames as readonly string[]).includes(name));
  if (unknown.length > 0) throw new Error(`There is no process ${unknown.join(', ')}. There are ${imageNames.join(', ')}.`);
  return asked as ImageName[];
}
