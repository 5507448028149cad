/**
 * The environment of a suite: the realm of its worker, in which each suite finds what the worker began with. It also
 * shows the state of the platforms of a test that fails or takes too long.
 */
import { createRequire } from 'node:module';
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';
import { platformState } from './platform-state.ts';
import { sharedFolder } from './shared-platform.ts';

const fromStore = createRequire(new URL('../../packages/store/package.json', import.meta.url));
const fromRuntime = createRequire(new URL('../../packages/runtime/package.json', import.meta.url));

/** What packages keep for the whole process: the connection and its models, and the metrics. */
async function forgetPackageState() {
  const mongoose = fromStore('mongoose');
  await mongoose.disconnect();
  mongoose.deleteModel(/^/);
  fromRuntime('prom-client').register.clear();
}

const listenersOf = () => new Map(process.eventNames().map((event) => [event, process.rawListeners(event)]));

/** Returns a function that undoes what a suite changes: settings, listeners of the process, and global names. */
function restorePoint() {
  const env = { ...process.env };
  const listeners = listenersOf();
  const names = new Set(Object.keys(globalThis));
  const { exit } = process;
  return () => {
    for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
    Object.assign(process.env, env);
    for (const [event, current] of listenersOf()) {
      for (const listener of current) if (!listeners.get(event)?.includes(listener)) process.removeListener(event, listener);
    }
    for (const name of Object.keys(globalThis)) if (!names.has(name)) delete globalThis[name];
    process.exit = exit;
  };
}

export default class {
  #folders;
  #restore = restorePoint();
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  fakeTimersModern;

  constructor({ projectConfig }, { testPath }) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
    const callsShared = /\/test\/(?!faults\/)/.test(testPath);
    this.#folders = () => new Set([...(callsShared ? sharedFolder() : []), ...(globalThis.platformFolders ?? [])]);
  }

  /** A run of one suite is in the process of the global setup, which has metrics of its own. */
  setup() {
    fromRuntime('prom-client').register.clear();
  }

  async teardown() {
    this.fakeTimersModern.dispose();
    await forgetPackageState();
    this.#restore();
  }

  exportConditions = () => ['node', 'node-addons'];
  getVmContext = () => globalThis;

  handleTestEvent({ name, test }) {
    if (name !== 'test_fn_failure' && name !== 'hook_failure') return;
    for (const folder of this.#folders()) console.error(`${test?.name ?? 'a hook'}: failed with ${platformState(folder)}`);
  }
}
