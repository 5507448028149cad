const tests = '\\.test\\.ts$|/fixtures/|/testing/';

/** The directions of docs/architecture.md; every arrow against them is an error. */
module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'contract-stands-alone',
      comment: 'the contract imports zod and nothing of ours',
      severity: 'error',
      from: { path: '^packages/contract/src', pathNot: tests },
      to: { path: '^(packages/(?!contract)|services|gateway|cli)' },
    },
    {
      name: 'messages-are-types-of-the-contract',
      comment: 'messages imports types of the contract and nothing else of ours',
      severity: 'error',
      from: { path: '^packages/messages/src', pathNot: tests },
      to: { path: '^(packages/(?!messages|contract)|services|gateway|cli|tools)' },
    },
    {
      name: 'store-without-rpc',
      comment: 'store and sealing know callers by the types of packages/messages',
      severity: 'error',
      from: { path: '^packages/(store|sealing)/src' },
      to: { path: '^packages/rpc/' },
    },
    {
      name: 'packages-below-services',
      severity: 'error',
      from: { path: '^packages/', pathNot: tests },
      to: { path: '^(services|gateway|cli|dashboard|tools)/' },
    },
    {
      name: 'tools-in-development',
      comment: 'what runs in production never imports what only development and tests need',
      severity: 'error',
      from: { path: '^(services|gateway|cli)/', pathNot: tests },
      to: { path: '^tools/' },
    },
    {
      name: 'runtime-http-and-outbound-at-the-bottom',
      severity: 'error',
      from: { path: '^packages/(runtime|http|outbound)/src', pathNot: tests },
      to: { path: '^packages/(?!$1/)' },
    },
    {
      name: 'services-apart',
      comment: 'a service talks to another over its RPCs, never by import',
      severity: 'error',
      from: { path: '^services/([^/]+)/' },
      to: { path: '^(services/(?!$1/)|gateway/|cli/)' },
    },
    { name: 'gateway-apart', severity: 'error', from: { path: '^gateway/' }, to: { path: '^(services|cli|dashboard)/' } },
    {
      name: 'dashboard-apart',
      comment: 'the dashboard knows the API by its document alone, from which its types are generated; texts have no API',
      severity: 'error',
      from: { path: '^dashboard/' },
      to: { path: '^(packages/(?!texts/)|services|gateway|cli|test)/' },
    },
    {
      name: 'docs-site-apart',
      comment: 'the docs site knows the API by its document alone',
      severity: 'error',
      from: { path: '^docs-site/' },
      to: { path: '^(packages|services|gateway|dashboard|cli|test|tools)/' },
    },
    {
      name: 'cli-apart',
      comment: 'the command line talks to services as anybody does, over their RPCs and the stream',
      severity: 'error',
      from: { path: '^cli/' },
      to: { path: '^(services|gateway)/' },
    },
    {
      name: 'sdk-apart',
      comment: "the SDK knows the API by its document alone, and the agencies' command line knows the SDK",
      severity: 'error',
      from: { path: '^sdk/' },
      to: { path: '^(packages|services|gateway|cli|dashboard|tools|test)/' },
    },
    {
      name: 'sdk-runs-anywhere',
      comment: 'only the folder upload needs Node: the rest runs in browsers and edge runtimes',
      severity: 'error',
      from: { path: '^sdk/typescript/src/', pathNot: '/node\\.ts$' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'mongoose-in-stores',
      comment: 'only *-store.ts, packages/store, packages/events and mains touch the database driver',
      severity: 'error',
      from: { path: '^(services|gateway|packages|cli)/', pathNot: `${tests}|-store\\.ts$|/main\\.ts$|^packages/(store|events)/` },
      to: { path: 'node_modules/(mongoose|mongodb)' },
    },
    {
      name: 'http-at-the-edge',
      comment: 'use cases never see express or HTTP; what is served over HTTP has a folder for that',
      severity: 'error',
      from: {
        path: '^services/',
        pathNot: `${tests}|^services/(sites/src/serving|identity/src/(sign-in/http|oauth/(http|pages))|mcp/src/http)/|^services/analytics/src/(ingest|tracker)/`,
      },
      to: { path: '(node_modules/express|^node:http$|^http$)' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // The parser does not know `await using`, which tests are full of.
    exclude: { path: '(^|/)gen/|\\.test\\.ts$' },
    tsPreCompilationDeps: true,
    parser: 'swc',
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.mjs', '.cjs', '.js', '.json'],
    },
  },
};
