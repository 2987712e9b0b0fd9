import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { noteReader } from '#server/audit/notes/checkpoint-note.ts'
import { findLeaves, today } from '#server/audit/store.ts'
import { leafHash, treeRoot } from '#server/audit/tree/merkle.ts'
import { rootAt } from '#server/audit/tree/tree.ts'
import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import { newId } from '#server/kernel/ids.ts'
import { moveToPast } from '#server/testing/past-day.ts'
import { testEnvironment } from '#server/testing/processes/environment.ts'
import { countCases, sized } from '#server/testing/properties/counts.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { sealLog } from './log-name.ts'
import { readMemory } from './memory/signer-memory.ts'
import { recheckTenant } from './recheck.ts'
import { findLatestSealCheckpoint, listSeals } from './seal-store.ts'
import { signTenant } from './sign-tenant.ts'

// kill -9 in the sealer at every statement, and at every write to the signer's memory: the next sealer finishes the work, and
// each day has one root.

const masterKey = randomBytes(32).toString('base64')
let runtime: Awaited<ReturnType<typeof testRuntime>>
let yesterday: string
beforeAll(async () => {
  runtime = await testRuntime({ environment: { MASTER_KEY: masterKey } })
  const date = await runtime.database.inDirectory(today)
  yesterday = new Date(Date.parse(date) - 86_400_000).toISOString().slice(0, 10)
})
afterAll(() => runtime.close())

/** A tenant with five records and more of a day that is over and was never signed. */
async function unsealed(): Promise<TestTenant> {
  const tenant = await testTenant(runtime)
  await runtime.database.inTenant(tenant.id, async (tx) => {
    for (let count = 0; count < 5; count++)
      await appendAudit(tx, tenant, { actor: systemActor, action: 'test', resource: { type: 'x', id: newId() } })
  })
  await moveToPast(runtime, tenant, yesterday)
  return tenant
}

type Place = { kind: 'statements' | 'files'; at: number; kill: 'before' | 'sent' }

async function sealInProcess(tenant: TestTenant, { kind, at, kill }: Place): Promise<'killed' | 'ended'> {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../testing/processes/seal-process.ts')], {
    env: {
      ...testEnvironment,
      PORT: '3000',
      APP_URL: runtime.database.url,
      DATA_DIR: runtime.config.dataDir,
      MASTER_KEY: masterKey,
      TENANT: tenant.id,
      KILL_IN: kind,
      KILL_AT: String(at),
      KILL: kill,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await once(child, 'exit')
  if (child.signalCode === 'SIGKILL') return 'killed'
  expect(child.exitCode).toBe(0)
  return 'ended'
}

/** Expects one signed root for each size, over the stored records, and the day once in the seal log. */
async function expectSealed(tenant: TestTenant): Promise<void> {
  await runtime.database.inTenant(tenant.id, async (tx) => {
    const made = await tx.selectFrom('auditCheckpoints').selectAll().where('tenantId', '=', tenant.id).execute()
    const day = await tx.selectFrom('auditDays').selectAll().where('date', '=', yesterday).executeTakeFirstOrThrow()
    expect(made.map(({ date, size }) => [date, size])).toEqual([[yesterday, day.size]])
    expect(day.sealedAt).toBeInstanceOf(Date)
    const read = await noteReader(tx, tenant)
    const [only] = made
    const bytes = await findLeaves(tx, tenant.id, yesterday, 0, day.size)
    const leaves = Array.from({ length: day.size }, (_, at) =>
      (bytes ?? Buffer.alloc(0)).subarray(32 * at, 32 * at + 32),
    )
    expect(only?.root).toEqual(treeRoot(leaves))
    expect(read(yesterday, only?.note ?? '')).toMatchObject({ ok: true, checkpoint: { root: only?.root } })
    expect(await rootAt(tx, { tenantId: tenant.id, name: yesterday }, day.size)).toEqual(only?.root)

    const seals = await listSeals(tx, tenant.id, 0, 10)
    expect(seals.map((seal) => seal.date)).toEqual([yesterday])
    const last = await findLatestSealCheckpoint(tx, tenant.id)
    expect(last?.root).toEqual(treeRoot(seals.map((seal) => leafHash(Buffer.from(seal.entry)))))
    expect(read(sealLog, last?.note ?? '')).toMatchObject({ ok: true, checkpoint: { size: 1 } })
    const memory = (await readMemory(tx, tenant))?.memory
    expect(memory).toMatchObject({
      seals: { size: 1, root: last?.root.toString('hex') },
      sealedThrough: yesterday,
      days: {},
      broken: {},
    })
  })
}

const ways: readonly ('before' | 'sent')[] = ['before', 'sent']

test.for([
  ['at any of its statements', 'statements', 10, 2],
  ['at any of its writes to the signer’s memory', 'files', 3, 3],
] as const)(
  'a sealer that is killed %s leaves one root for the day',
  { timeout: 600_000 },
  async ([, kind, least, share], context) => {
    let killed = 0
    for (let at = 1; ; at += sized(1, share)) {
      // With the full counts each place is hit both ways; else some of them, one way or the other.
      const outcomes = await Promise.all(
        sized(ways, ways.slice((at >> 1) % 2, 1 + ((at >> 1) % 2))).map(async (kill) => {
          const tenant = await unsealed()
          const outcome = await sealInProcess(tenant, { kind, at, kill })
          // The next process may read the logs again before it has signed anything: it completes them first.
          await recheckTenant(tenant.id)
          await signTenant(tenant.id)
          await expectSealed(tenant)
          return outcome
        }),
      )
      killed += outcomes.filter((outcome) => outcome === 'killed').length
      if (outcomes.includes('ended')) break
    }
    expect(killed).toBeGreaterThan(least)
    countCases(context, killed)
  },
)
