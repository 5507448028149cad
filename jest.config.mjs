/** Written as ES modules only, or, like the MongoDB driver, using `import()`, which Jest's CommonJS has not. */
const transformed = ['jose', 'zod-openapi', 'mongodb', 'parse5', 'entities'];

/** Tests run as CommonJS through swc: fast, and from the same source that Node runs directly. */
export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/{packages,tools,services,gateway,cli,test}/**/*.test.ts'],
  transform: {
    '\\.(ts|m?js)$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript' }, target: 'es2023' }, module: { type: 'commonjs' } }],
  },
  transformIgnorePatterns: [
    `/node_modules/(?!\\.pnpm/|(${transformed.join('|')})/)`,
    `/node_modules/\\.pnpm/(?!(${transformed.join('|')})@)`,
  ],
  testSequencer: '<rootDir>/test/harness/suite-order.mjs',
  globalSetup: '<rootDir>/test/harness/global-setup.mjs',
  globalTeardown: '<rootDir>/test/harness/global-teardown.mjs',
  // Ends a test that hangs. No test may depend on it.
  testTimeout: 600_000,
  maxWorkers: 2,
};
