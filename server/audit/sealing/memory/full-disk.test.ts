import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { listAlarms } from '#server/audit/alarms/list.ts'
import { sealClosedDays } from '#server/audit/sealing/seal-days.ts'
import { startSealer } from '#server/audit/sealing/sealer.ts'
import { signDay } from '#server/audit/sealing/sign-day.ts'
import { signTenant } from '#server/audit/sealing/sign-tenant.ts'
import { today } from '#server/audit/store.ts'
import { execute } from '#server/kernel/operation.ts'
import { moveToPast } from '#server/testing/past-day.ts'
import { fill, mayMount, otherData, withSmallDisk } from '#server/testing/small-disk.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { until } from '#server/testing/until.ts'

// The disk of the signer's memory is full while a day is signed, and while it is sealed.

let runtime: Awaited<ReturnType<typeof testRuntime>>
let yesterday: string
beforeAll(async () => {
  runtime = await testRuntime()
  const date = await runtime.database.inDirectory(today)
  yesterday = new Date(Date.parse(date) - 86_400_000).toISOString().slice(0, 10)
})
afterEach(() => vi.restoreAllMocks())
afterAll(() => runtime.close())

const memories = () => join(runtime.config.dataDir, 'signer-memory')
const makeRoom = () => rm(join(memories(), otherData))

/** A tenant with a day that is over and was never signed. */
async function unsealed(): Promise<TestTenant> {
  const tenant = await testTenant(runtime)
  await moveToPast(runtime, tenant, yesterday)
  return tenant
}

/** What of the tenant's days is signed, closed and sealed, and the files of the signer's memory. */
async function stateOf(tenant: TestTenant) {
  const rows = await runtime.database.inTenant(tenant.id, async (tx) => ({
    signed: (await tx.selectFrom('auditCheckpoints').select('date').execute()).map(({ date }) => date),
    closed: (await tx.selectFrom('auditDays').select('date').where('sealedAt', 'is not', null).execute()).length,
    seals: (await tx.selectFrom('auditSeals').select('date').execute()).map(({ date }) => date),
    heads: (await tx.selectFrom('auditSealCheckpoints').select('size').execute()).map(({ size }) => size),
  }))
  const files = await readdir(join(memories(), tenant.id)).catch(() => [])
  return { ...rows, files }
}

const nothing = { signed: [], closed: 0, seals: [], heads: [], files: [] }
const isFull = { name: 'MemoryUnavailable', message: expect.stringContaining('ENOSPC') }

test.runIf(mayMount)(
  'a day is neither signed nor sealed without space, and both are done when there is space',
  async () => {
    await withSmallDisk(memories(), async () => {
      const tenant = await unsealed()
      await fill(memories())
      await expect(signTenant(tenant.id)).rejects.toMatchObject(isFull)
      expect(await stateOf(tenant)).toEqual(nothing)
      await makeRoom()
      await signTenant(tenant.id)
      expect(await stateOf(tenant)).toMatchObject({ signed: [yesterday], closed: 1, seals: [yesterday], heads: [1] })
    })
  },
)

test.runIf(mayMount)(
  'a day that was closed before is not sealed without space, and its memory stays whole',
  async () => {
    await withSmallDisk(memories(), async () => {
      const tenant = await unsealed()
      await runtime.database.inTenant(tenant.id, (tx) => signDay(tx, tenant, yesterday))
      const before = await stateOf(tenant)
      expect(before).toEqual({ ...nothing, signed: [yesterday], closed: 1, files: ['1.json'] })
      await fill(memories())
      const seal = () => runtime.database.inTenant(tenant.id, (tx) => sealClosedDays(tx, tenant))
      await expect(seal()).rejects.toMatchObject(isFull)
      expect(await stateOf(tenant)).toEqual(before)
      await makeRoom()
      await seal()
      expect(await stateOf(tenant)).toMatchObject({ seals: [yesterday], heads: [1], files: ['2.json'] })
    })
  },
)

test.runIf(mayMount)(
  'the sealer reports it in its log, raises one alarm if it lasts a minute, and continues by itself',
  async () => {
    await withSmallDisk(memories(), async () => {
      const tenant = await unsealed()
      const auditor = await tenant.as('vera', { roles: ['auditor'] })
      const alarms = async () => (await execute(listAlarms, auditor, {}, { name: 'alarms.list' })).items
      await fill(memories())
      const now = performance.now.bind(performance)
      let later = 0
      vi.spyOn(performance, 'now').mockImplementation(() => now() + later)
      const logged = vi.spyOn(runtime.log, 'error')
      const isOutage = (line: unknown) =>
        line instanceof Object && 'err' in line && line.err instanceof Error && line.err.name === 'MemoryUnavailable'
      const failures = () => logged.mock.calls.filter(([first]) => isOutage(first)).length
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
      const sealer = startSealer()
      try {
        await until(async () => failures() > 0 || undefined, 'a line in the process log')
        expect(await alarms()).toEqual([])
        for (const round of [1, 2]) {
          later += 61_000
          const before = failures()
          // Again and again: a round that is still running ignores the timer.
          const again = async () => {
            vi.advanceTimersByTime(15_000)
            return failures() > before || undefined
          }
          await until(again, `round ${round}`)
          expect(await alarms()).toMatchObject([
            { kind: 'signing', subject: 'memory', count: 1, reason: expect.stringContaining('ENOSPC') },
          ])
        }
        await makeRoom()
        const sealed = async () => {
          vi.advanceTimersByTime(15_000)
          return (await stateOf(tenant)).seals.length === 1 || undefined
        }
        await until(sealed, 'the day is sealed')
      } finally {
        vi.useRealTimers()
        await sealer.close()
      }
    })
  },
)
