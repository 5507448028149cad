/** Makes, pushes and signs the images of a release. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { commit, imageNames, makeImages } from '../../tools/dev-platform/src/index.ts';
import { Signing } from './signing.ts';
import { version } from './version.ts';

const usage = `node scripts/with-toolchain.mjs scripts/release/images.ts --registry HOST [options]

Pushes <HOST>/webkiln/<process>:${version} for linux/amd64 and linux/arm64, signs each by its digest, and attaches its bill of
materials (CycloneDX) and how it was made (SLSA provenance 1), both signed. No container engine takes part.

  --registry HOST   ghcr.io, or localhost:5000 of \`crane registry serve\`; credentials are those of \`docker login\`
  --out FOLDER      gets digests.json, and what is attached (default: dist/release/images)
  --key FILE        signs by a key of cosign; without it by the identity of the workflow that runs
  --base IMAGE      the base image, of both platforms
  --process LIST    these alone, with commas`;

const text = { type: 'string' } as const;
const { values } = parseArgs({
  options: {
    registry: text,
    out: { ...text, default: 'dist/release/images' },
    key: text,
    base: text,
    process: text,
    help: { type: 'boolean' },
  },
});
if (values.help) console.log(usage);
else await release();

async function release(): Promise<void> {
  const { registry, out, key, base, process: list } = values;
  if (registry === undefined) throw new Error(usage);
  const names = list === undefined ? imageNames : imageNames.filter((name) => list.split(',').includes(name));
  const signing = await Signing.with(key);
  const digests: Record<string, string> = {};
  mkdirSync(out, { recursive: true });
  const options = { registry, tag: version, version, platforms: ['linux/amd64', 'linux/arm64'], ...(base !== undefined && { base }) };
  for await (const { name, image, digest = '', sbom } of makeImages(names, options)) {
    const artifact = `${registry}/webkiln/${name}@${digest}`;
    const write = (kind: string, content: string) => {
      const file = path.join(out, `${name}.${kind}.json`);
      writeFileSync(file, content);
      return file;
    };
    await signing.sign(artifact);
    await signing.attest(artifact, 'cyclonedx', write('sbom', sbom));
    await signing.attest(artifact, 'slsaprovenance1', write('provenance', JSON.stringify(provenance(image), null, 2)));
    digests[image] = digest;
    console.log(`${image}  ${digest}`);
  }
  writeFileSync(path.join(out, 'digests.json'), `${JSON.stringify(digests, null, 2)}\n`);
}

/** The predicate of SLSA provenance 1: from which commit, by which script and where. */
function provenance(image: string) {
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY, GITHUB_RUN_ID, GITHUB_WORKFLOW_REF } = process.env;
  const repository = GITHUB_REPOSITORY === undefined ? 'local' : `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}`;
  const { REVISION: gitCommit, CREATED } = commit();
  return {
    buildDefinition: {
      buildType: `${repository}/blob/main/docs/images.md`,
      externalParameters: { image, script: 'scripts/release/images.ts' },
      internalParameters: { committed: CREATED },
      resolvedDependencies: [{ uri: `git+${repository}`, digest: { gitCommit } }],
    },
    runDetails: {
      builder: { id: GITHUB_WORKFLOW_REF === undefined ? 'local' : `${GITHUB_SERVER_URL}/${GITHUB_WORKFLOW_REF}` },
      metadata: { invocationId: GITHUB_RUN_ID ?? 'local' },
    },
  };
}
