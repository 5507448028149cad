import { cosign, runCommand, supplyProgram, terminalReport } from '../../tools/dev-platform/src/index.ts';

/**
 * How artifacts are signed: by a key of `cosign generate-key-pair` (its password in COSIGN_PASSWORD) and without a
 * public log, or else by the identity of the workflow that runs, which Sigstore certifies and logs.
 */
export class Signing {
  readonly #cosign: string;
  readonly #by: readonly string[];

  private constructor(program: string, key: string | undefined) {
    this.#cosign = program;
    this.#by = key === undefined ? ['--yes'] : ['--yes', '--key', key, '--tlog-upload=false'];
  }

  static async with(key: string | undefined): Promise<Signing> {
    return new Signing(await supplyProgram(cosign, terminalReport), key);
  }

  /** Signs what a registry holds: its name with `@sha256:…`. For an image of several platforms, each of them, too. */
  sign(artifact: string): Promise<string> {
    return runCommand(this.#cosign, ['sign', '--recursive', ...this.#by, artifact]);
  }

  /** Attaches what a file says about an artifact, signed: a bill of materials, or how it was made. */
  attest(artifact: string, type: 'cyclonedx' | 'slsaprovenance1', file: string): Promise<string> {
    return runCommand(this.#cosign, ['attest', '--type', type, '--predicate', file, ...this.#by, artifact]);
  }
}
