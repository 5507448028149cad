/**
 * Jest's runtime, which loads the packages of node_modules once a worker instead of once a suite: loading them took 40 %
 * of the CPU time of a run. The project's own code is still loaded for each suite. Both live in the process's own realm,
 * because an Error or a Date of another would be none of ours.
 */
import { createRequire, isBuiltin } from 'node:module';
import { sep } from 'node:path';
import { compileFunction } from 'node:vm';
import JestRuntime from 'jest-runtime';

const inPackages = `${sep}node_modules${sep}`;
const isRelative = /^(\.|\/)/;

const files = new Map();

/** The file of a package in node_modules, or undefined for the workspace's own packages. */
function packageFile(from, name) {
  const key = `${from}\0${name}`;
  if (!files.has(key)) {
    const file = createRequire(from).resolve(name);
    files.set(key, file.includes(inPackages) ? file : undefined);
  }
  return files.get(key);
}

export default class extends JestRuntime {
  constructor(...args) {
    super(...args);
    const { executor } = this;
    executor.compile = (source, filename) => compileFunction(source, executor.injectedModuleParameters, { filename });
  }

  requireModule(from, name, options, isActual) {
    const isPackage = name !== undefined && !options?.isInternalModule && !isRelative.test(name) && !isBuiltin(name);
    const file = isPackage ? packageFile(from, name) : undefined;
    return file === undefined ? super.requireModule(from, name, options, isActual) : createRequire(from)(file);
  }
}
