/** Jest's environment of Node; it also shows the state of the platforms of a test that fails or takes too long. */
import { TestEnvironment } from 'jest-environment-node';
import { platformState } from './platform-state.ts';
import { sharedFolder } from './shared-platform.ts';

export default class extends TestEnvironment {
  #folders;

  constructor(config, context) {
    super(config, context);
    const callsShared = /\/test\/(?!faults\/)/.test(context.testPath);
    this.#folders = () => new Set([...(callsShared ? sharedFolder() : []), ...(this.global.platformFolders ?? [])]);
  }

  handleTestEvent({ name, test }) {
    if (name !== 'test_fn_failure' && name !== 'hook_failure') return;
    for (const folder of this.#folders()) console.error(`${test?.name ?? 'a hook'}: failed with ${platformState(folder)}`);
  }
}
