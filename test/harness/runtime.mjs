/**
 * Jest's runtime, which loads for each suite only what may hold state: packages of node_modules, jest itself and our
 * packages without state load once a worker; files that load again are compiled once. Loading all for each suite took
 * most of a worker's CPU time. All live in one realm, because an Error or a Date of another would be none of ours.
 */
import { createRequire, isBuiltin } from 'node:module';
import path from 'node:path';
import { Script } from 'node:vm';
import JestRuntime from 'jest-runtime';

const inPackages = `${path.sep}node_modules${path.sep}`;
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

const scripts = new Map();

/** Functions of a script are new for each suite, but not parsed again. */
function compile(source, filename, parameters) {
  const known = scripts.get(filename);
  if (known?.source === source) return known.script.runInThisContext();
  const head = `(function (${parameters.join(', ')}) {`;
  const script = new Script(`${head}${source}\n})`, { filename, columnOffset: -head.length });
  scripts.set(filename, { source, script });
  return script.runInThisContext();
}

/** Packages that import only each other and packages of node_modules, and keep nothing that a test could change. */
const stateless = ['composer', 'contract', 'http', 'messages', 'sealing', 'site-check', 'site-rules', 'texts'];
const isStateless = (file) => stateless.some((name) => file.includes(`/packages/${name}/`)) && !/\.test\.ts$|\/testing\//.test(file);

/** Modules of stateless packages, by file, with the source maps that stack traces need. */
const kept = new Map();

function keep(file, module, sourceMap) {
  const other = module.children.find(({ filename }) => !isStateless(filename));
  if (other !== undefined) throw new Error(`${file} is kept for all suites of a worker, so it cannot import ${other.filename}`);
  kept.set(file, { module, sourceMap });
}

export default class extends JestRuntime {
  constructor(...args) {
    super(...args);
    const { executor, registries, transformCache } = this;
    executor.compile = (source, filename) => compile(source, filename, executor.injectedModuleParameters);
    for (const [file, { module, sourceMap }] of kept) {
      registries.moduleRegistry.set(file, module);
      transformCache.sourceMaps.set(file, sourceMap);
    }
  }

  requireModule(from, name, options, isActual) {
    const isPackage = name !== undefined && !isRelative.test(name) && !isBuiltin(name);
    const file = isPackage ? packageFile(from, name) : undefined;
    return file === undefined ? super.requireModule(from, name, options, isActual) : createRequire(from)(file);
  }

  teardown() {
    const { registries, transformCache } = this;
    for (const [file, module] of registries.moduleRegistry) {
      if (module.loaded && isStateless(file)) keep(file, module, transformCache.sourceMaps.get(file));
    }
    super.teardown();
  }
}
