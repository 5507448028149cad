/** Tests run as CommonJS through swc: fast, and from the same source that Node runs directly. */
export default {
  testEnvironment: '<rootDir>/test/harness/environment.mjs',
  runtime: '<rootDir>/test/harness/runtime.mjs',
  testMatch: ['<rootDir>/{packages,tools,services,gateway,cli,deploy,test}/**/*.test.ts'],
  transform: {
    '\\.(ts|m?js)$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript' }, target: 'es2023' }, module: { type: 'commonjs' } }],
  },
  testSequencer: '<rootDir>/test/harness/suite-order.mjs',
  // Behind a balancer each request has its own connection, so that consecutive requests meet different gateways.
  setupFiles: process.env.GATEWAYS === undefined ? [] : ['<rootDir>/test/harness/connection-per-request.ts'],
  globalSetup: '<rootDir>/test/harness/global-setup.mjs',
  globalTeardown: '<rootDir>/test/harness/global-teardown.mjs',
  // Ends a test that hangs, so that its environment shows the state of its platform. No test may depend on it.
  testTimeout: 180_000,
  // What suites leave behind in their realm adds up: a worker beyond this begins anew.
  workerIdleMemoryLimit: '2GB',
  // More than twice the two cores of CI: suites that restart processes or wait for windows leave most of a core unused.
  maxWorkers: 5,
};
