import type { BundledPackage } from '../platform/bundled-packages.ts';

/** A software bill of materials, CycloneDX 1.6 as JSON. Equal arguments give equal bytes: images can be rebuilt. */
export function sbom(image: { readonly name: string; readonly version: string }, packages: readonly BundledPackage[]): string {
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { type: 'application', 'bom-ref': image.name, ...image, licenses: [{ expression: 'Apache-2.0' }] } },
    components: packages.map(({ name, version, license }) => {
      const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
      return { type: 'library', 'bom-ref': purl, name, version, purl, licenses: [{ license: { name: license } }] };
    }),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}
