import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { cpuSeconds, memoryMb, treeIds } from './procfs.ts'

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

test.runIf(onLinux)('lists a process with its children, and not with excluded processes', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'])
  await once(child, 'spawn')
  try {
    const pid = child.pid ?? 0
    expect(treeIds([process.pid], [])).toEqual(expect.arrayContaining([process.pid, pid]))
    expect(treeIds([process.pid], [pid])).not.toContain(pid)
  } finally {
    child.kill()
    await once(child, 'exit')
  }
})
