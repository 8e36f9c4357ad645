// What dependency-cruiser reports. The import law itself is test/architecture.test.ts; here is what needs package.json and the resolver.
/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-unresolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'no-development-dependencies-in-src',
      comment:
        'Whoever installs Parley does not get these. Types are erased, and what the vendor folder opens is bundled, so they may come from there.',
      severity: 'error',
      from: { path: '^src', pathNot: '^src/llm/apis/ai-sdk/vendor/' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'node', 'default'] },
  },
};
