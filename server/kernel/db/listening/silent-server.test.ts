import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { newId } from '#server/kernel/ids.ts'
import { createLog } from '#server/kernel/log.ts'
import { type TestDatabase, testDatabase } from '#server/testing/database.ts'
import { type FreezableProxy, freezableProxy } from '#server/testing/fakes/freezable-proxy.ts'
import { until } from '#server/testing/until.ts'
import { type Database, openDatabase } from '../database.ts'
import { openListener } from '../listen.ts'
import { notify } from '../notify.ts'

// The machine of the database freezes, and its connections stay open without answering.

const log = createLog('silent')
let source: TestDatabase
let other: Database
let proxy: FreezableProxy
let listener: ReturnType<typeof openListener>
beforeAll(async () => {
  source = await testDatabase()
  other = openDatabase(source.appUrl, log, { poolSize: 1 })
})
beforeEach(async () => {
  proxy = await freezableProxy(source.appUrl)
  listener = openListener(proxy.url, log)
  // Called when it listens on every channel.
  await new Promise<void>((resolve) => {
    listener.on('trace', 'any', () => resolve())
  })
})
afterEach(async () => {
  vi.restoreAllMocks()
  await listener.close()
  await proxy.close()
})
afterAll(async () => {
  await other.close()
  await source.close()
})

/** Waits until a commit of another process wakes readers of this one. */
const hears = async () => {
  const topic = newId()
  let heard = false
  const off = listener.on('trace', topic, (one) => {
    heard ||= one === topic
  })
  await until(async () => {
    await other.inDirectory(async (tx) => notify(tx, 'trace', topic))
    return heard || undefined
  }, 'a notification arrived')
  off()
}

test('a connection whose server no longer answers is reported, and another is opened', async () => {
  const warned = vi.spyOn(log, 'warn')
  const opened = proxy.opened()
  const woken = new Promise<void>((resolve) => {
    listener.on('trace', 'any', () => resolve())
  })
  proxy.freeze()
  await until(async () => proxy.opened() > opened || undefined, 'another connection was opened', 25_000)
  expect(warned).toHaveBeenCalled()
  proxy.thaw()
  // Notifications were missed in between.
  await woken
  await hears()
}, 60_000)

test('closing it does not wait for such a server', async () => {
  proxy.freeze()
  const since = performance.now()
  await listener.close()
  expect(performance.now() - since).toBeLessThan(5000)
}, 30_000)
