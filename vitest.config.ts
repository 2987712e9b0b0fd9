import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'

/** Needs packages that `npm run proof` installs, programs that a machine may lack, or time that `npm test` does not have. */
const onlyInProof = [
  'server/evidence/places/moto.test.ts',
  'server/testing/compatibility/**',
  'server/testing/properties/development.test.ts',
  'server/testing/properties/keycloak.test.ts',
  'server/testing/properties/late-tools.test.ts',
  'server/testing/properties/routes-through-next.test.ts',
  'server/testing/properties/schemathesis.test.ts',
  'server/testing/readers/**',
]

export default defineConfig({
  test: {
    pool: 'forks',
    // One more than there are cores: suites that kill processes wait for leases to end, and use no core while they do.
    maxWorkers: availableParallelism() + 1,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // A test waits for a condition, not for a fixed time: on a busy machine the condition is met later.
    expect: { poll: { timeout: 20_000 } },
    retry: 0,
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['{lib,components,app}/**/*.test.{ts,tsx}'],
          // Functions without state: a process for each file would cost more than its tests.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'server',
          // Each suite has its own process and database, because each process has one runtime.
          include: ['{server,cli,bench}/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...(process.env.PROOF === 'full' ? [] : onlyInProof)],
          globalSetup: ['server/testing/global-setup.ts'],
          // Node loads TypeScript itself, and keeps what it has compiled for the next process.
          experimental: { viteModuleRunner: false, nodeLoader: false },
        },
      },
    ],
  },
})
