import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['{lib,server,components,app,cli,bench}/**/*.test.{ts,tsx}'],
    globalSetup: ['server/testing/global-setup.ts'],
    // Each suite has its own process and database, because each process has one runtime.
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // A test waits for a condition, not for a fixed time: on a busy machine the condition is met later.
    expect: { poll: { timeout: 20_000 } },
    retry: 0,
  },
})
