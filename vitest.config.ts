import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'
import { leftOut } from './cli/long-suites.mjs'

/** Needs packages that `npm run proof` installs, programs that a machine may lack, or time that `npm test` does not have. */
const onlyInProof = [
  'cli/proof/lint-deploy.test.ts',
  'server/evidence/places/moto.test.ts',
  'server/testing/compatibility/**',
  'server/testing/keycloak/**',
  'server/testing/properties/release.test.ts',
  'server/testing/properties/schemathesis.test.ts',
  'server/testing/readers/**',
]

/** Suites about what a process keeps until it ends, such as the keys and providers of its realms: each has one of its own. */
const aboutTheProcess = ['server/{identity,kernel}/**/*.test.ts', 'server/evidence/bound-spans.test.ts']

/** Suites with a PostgreSQL. */
const withDatabase = {
  globalSetup: ['server/testing/global-setup.ts'],
  // Node loads TypeScript itself, and keeps what it has compiled for the next process.
  experimental: { viteModuleRunner: false, nodeLoader: false },
}

const notHere = [...configDefaults.exclude, ...leftOut, ...(process.env.PROOF === 'full' ? [] : onlyInProof)]

export default defineConfig({
  test: {
    pool: 'forks',
    // One more than there are cores: suites that kill processes wait for leases to end, and use no core while they do.
    maxWorkers: availableParallelism() + 1,
    // Only to end a test that hangs: on a busy machine everything takes longer.
    testTimeout: 180_000,
    hookTimeout: 180_000,
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
          ...withDatabase,
          name: 'server',
          include: ['{server,cli,bench}/**/*.test.ts'],
          exclude: [...notHere, ...aboutTheProcess],
          // One suite after the other in the same few processes: loading and compiling the server for each would take a fifth of
          // the processor time. Each has its own runtime and database.
          isolate: false,
        },
      },
      {
        extends: true,
        test: { ...withDatabase, name: 'process', include: aboutTheProcess, exclude: notHere },
      },
    ],
  },
})
