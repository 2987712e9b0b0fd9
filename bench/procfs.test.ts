import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { cpuSeconds, memoryMb } from './procfs.ts'

const onLinux = existsSync('/proc/self/stat')

test.runIf(onLinux)('charges a process with its ended children, and not with excluded processes', () => {
  const before = cpuSeconds([process.pid], [])
  const busy = 'const end = process.cpuUsage().user + 200_000; while (process.cpuUsage().user < end);'
  expect(spawnSync(process.execPath, ['-e', busy]).status).toBe(0)
  expect(cpuSeconds([process.pid], []) - before).toBeGreaterThanOrEqual(0.18)
  expect(cpuSeconds([], [process.pid])).toBe(0)
})

test.runIf(onLinux)('returns resident memory in MB, at most the peak', () => {
  const { rss, peak } = memoryMb([process.pid])
  expect(rss).toBeGreaterThan(20)
  expect(rss).toBeLessThanOrEqual(peak)
})
