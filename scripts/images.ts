/** `npm run images`: makes the container images of all processes. */
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type ImageName, imageNames, makeImages, thisPlatform, writeImageFiles } from '../tools/dev-platform/src/index.ts';
import { version as current } from './release/version.ts';

const usage = `npm run images -- [options]      makes the container images of all processes, without a container engine; docs/images.md

  --registry HOST     pushes <HOST>/webkiln/<process>:<tag>
  --save FOLDER       writes <process>.tar instead, for \`docker load\`, \`podman load\` or \`ctr images import\`
  --process NAME      one process, or several with commas (${imageNames.join(', ')})
  --platform LIST     linux/amd64, linux/arm64 or both with a comma; default: this machine's
  --tag TAG           default: the version in package.json
  --base IMAGE        the base image: Node at /nodejs/bin/node, user 65532
  --version VERSION   default: the version in package.json
  --files FOLDER      only writes what each image holds below /app`;

const text = { type: 'string' } as const;
const { values } = parseArgs({
  options: {
    ...{ process: text, registry: text, tag: text, base: text, platform: text, save: text, files: text, version: text },
    help: { type: 'boolean' },
  },
});
if (values.help) console.log(usage);
else await build();

async function build(): Promise<void> {
  const { version = current, tag = version, registry, platform = thisPlatform, base, save } = values;
  const names = namesOf(values.process);
  if (values.files !== undefined) return writeImageFiles(names, path.resolve(values.files), version, platform);
  if ((registry === undefined) === (save === undefined) && save === undefined)
    throw new Error('It takes --registry HOST or --save FOLDER.');
  const options = { registry: registry ?? 'ghcr.io', tag, version, platforms: platform.split(',') };
  const made = makeImages(names, { ...options, ...(base !== undefined && { base }), ...(save !== undefined && { save }) });
  for await (const { image, bytes, digest = '' } of made) console.log(`${image}  ${Math.round(bytes / 1e6)} MB  ${digest}`);
}

function namesOf(list: string | undefined): readonly ImageName[] {
  if (list === undefined) return imageNames;
  const asked = list.split(',');
  const unknown = asked.filter((name) => !(imageNames as readonly string[]).includes(name));
  if (unknown.length > 0) throw new Error(`There is no process ${unknown.join(', ')}. There are ${imageNames.join(', ')}.`);
  return asked as ImageName[];
}
