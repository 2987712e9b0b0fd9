import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['{lib,server,components,app,cli,bench}/**/*.test.{ts,tsx}'],
    globalSetup: ['server/testing/global-setup.ts'],
    // Each suite has a process and a database of its own: the runtime is one for each process.
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // A busy machine must not turn a slow commit into a failure of another test.
    retry: 0,
  },
})
