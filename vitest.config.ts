import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'

/** Needs packages that `npm run proof` installs, or time that `npm test` does not have. */
const onlyInProof = ['server/testing/compatibility/**', 'server/testing/properties/late-tools.test.ts']

export default defineConfig({
  test: {
    include: ['{lib,server,components,app,cli,bench}/**/*.test.{ts,tsx}'],
    exclude: [...configDefaults.exclude, ...(process.env.PROOF === 'full' ? [] : onlyInProof)],
    globalSetup: ['server/testing/global-setup.ts'],
    // Each suite has a process and a database of its own: the runtime is one for each process.
    pool: 'forks',
    // One more than there are cores: suites that kill processes wait for leases to end, and use no core while they do.
    maxWorkers: availableParallelism() + 1,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // A test waits for a fact, not for a time: on a busy machine the fact comes later.
    expect: { poll: { timeout: 20_000 } },
    retry: 0,
  },
})
