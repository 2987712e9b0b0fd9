import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { acceptLogHead } from '#server/audit/sealing/accept-log-head.ts'
import { beginKeyed } from '#server/audit/sealing/begin-keyed.ts'
import { recheckTenant } from '#server/audit/sealing/recheck.ts'
import { signDay } from '#server/audit/sealing/sign-day.ts'
import { signTenant } from '#server/audit/sealing/sign-tenant.ts'
import { today } from '#server/audit/store.ts'
import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import { newId } from '#server/kernel/ids.ts'
import { asOwner, connectAsOwner } from '#server/testing/owner.ts'
import { moveToPast } from '#server/testing/past-day.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { fileMemory } from './file-memory.ts'
import { readMemory } from './signer-memory.ts'

let runtime: Awaited<ReturnType<typeof testRuntime>>
let date: string
let yesterday: string
beforeAll(async () => {
  runtime = await testRuntime()
  date = await runtime.database.inDirectory(today)
  yesterday = new Date(Date.parse(date) - 86_400_000).toISOString().slice(0, 10)
})
afterAll(() => runtime.close())

describe('a memory in DATA_DIR', () => {
  const id = newId()
  test('is replaced only by a writer that has read the stored version', async () => {
    const store = fileMemory(runtime.config.dataDir)
    expect(await store.read(id)).toBeUndefined()
    const first = await Promise.all([1, 2, 3, 4].map((n) => store.write(id, `${n}`, undefined)))
    expect(first.filter(Boolean)).toHaveLength(1)
    const stored = await store.read(id)
    expect(stored?.text).toBe(`${first.indexOf(true) + 1}`)
    expect(await store.write(id, 'second', stored?.version)).toBe(true)
    const second = await store.read(id)
    expect(await store.write(id, 'third', second?.version)).toBe(true)
    // The name that this writer would take is free again, because the third version replaced it.
    expect(await store.write(id, 'late', stored?.version)).toBe(false)
    expect(await store.write(id, 'late', undefined)).toBe(false)
    expect((await store.read(id))?.text).toBe('third')
    expect(await readdir(join(runtime.config.dataDir, 'signer-memory', id))).toEqual(['3.json'])
  })
})

describe('the signer', () => {
  let tenant: TestTenant
  beforeEach(async () => {
    tenant = await testTenant(runtime)
    await moveToPast(runtime, tenant, yesterday)
    await append()
    await signTenant(tenant.id)
  })
  const append = () =>
    runtime.database.inTenant(tenant.id, (tx) =>
      appendAudit(tx, tenant, { actor: systemActor, action: 'test', resource: { type: 'x', id: newId() } }),
    )
  const folder = () => join(runtime.config.dataDir, 'signer-memory', tenant.id)
  const sign = () => runtime.database.inTenant(tenant.id, (tx) => signDay(tx, tenant, date))
  const memory = () => runtime.database.inTenant(tenant.id, async (tx) => (await readMemory(tx, tenant))?.memory)
  const accept = () => runtime.database.inTenant(tenant.id, (tx) => acceptLogHead(tx, tenant))
  const query = async (text: string) => {
    const owner = await connectAsOwner(runtime)
    const { rows } = await owner.query(text, [tenant.id])
    await owner.end()
    return rows
  }

  test('remembers the head of each open day, the seal log, and from where records are keyed', async () => {
    const [{ size, root }] = await query(
      `select size, encode(root, 'hex') as root from audit_checkpoints where tenant_id = $1 and date = '${date}'`,
    )
    expect(await memory()).toMatchObject({
      days: { [date]: { size, root } },
      seals: { size: 1 },
      sealedThrough: yesterday,
      keyedFrom: { date: yesterday, seq: 0 },
    })
  })

  test.each([
    ['a lost', async () => rm(folder(), { recursive: true })],
    [
      'a changed',
      async () => {
        const [name = ''] = await readdir(folder())
        const text = await readFile(join(folder(), name), 'utf8')
        await writeFile(join(folder(), name), text.replace(`"sealedThrough":"${yesterday}"`, '"sealedThrough":null'))
      },
    ],
    ['an unreadable', async () => writeFile(join(folder(), '999.json'), '{')],
    [
      'another tenant’s',
      async () => {
        const other = await testTenant(runtime)
        await signTenant(other.id)
        await rm(folder(), { recursive: true })
        await cp(join(runtime.config.dataDir, 'signer-memory', other.id), folder(), { recursive: true })
      },
    ],
  ])(
    'signs nothing with %s memory, and raises the alarm, until the operator accepts the head on the record',
    async (_what, lose) => {
      await lose()
      await append()
      await expect(sign()).rejects.toThrow(/The signer’s memory (is missing|was damaged)/)
      await signTenant(tenant.id)
      await recheckTenant(tenant.id)
      const alarms = `select record ->> 'reason' as reason, record -> 'details' as details from audit_records
      where tenant_id = $1 and type in ('alarm.raised', 'audit_log.integrity_failed')`
      expect(await query(alarms)).toEqual([
        { reason: expect.stringMatching(/^The signer’s memory/), details: { kind: 'memory', subject: 'signer' } },
      ])

      const accepted = await accept()
      expect(accepted).toMatchObject({ sealedThrough: yesterday, seals: { size: 1 }, unkeyed: 0 })
      await sign()
      expect((await memory())?.days[date]?.size).toBeGreaterThan(accepted.days[date]?.size ?? 0)
      const records = `select record -> 'details' as details from audit_records
      where tenant_id = $1 and type = 'audit_log.head_accepted'`
      expect(await query(records)).toMatchObject([{ details: { before: null, sealedThrough: yesterday } }])
    },
  )

  test('signs nothing with a memory that is older than the checkpoints of the database', async () => {
    await cp(folder(), `${folder()}.kept`, { recursive: true })
    await append()
    await sign()
    await rm(folder(), { recursive: true })
    await cp(`${folder()}.kept`, folder(), { recursive: true })
    await append()
    await expect(sign()).rejects.toThrow(/memory is older than the database/)
    await accept()
    await sign()
    const [{ heads }] = await query(
      `select record -> 'details' -> 'before' -> 'days' as heads from audit_records
       where tenant_id = $1 and type = 'audit_log.head_accepted'`,
    )
    expect(Object.keys(heads)).toEqual([date])
  })

  test('refuses to accept a head that the log key did not sign', async () => {
    await rm(folder(), { recursive: true })
    await asOwner(runtime, `update audit_checkpoints set note = replace(note, E'\\n', ' ') where tenant_id = $1`, [
      tenant.id,
    ])
    await expect(accept()).rejects.toMatchObject({ name: 'LogRefused' })
    expect(await memory()).toBeUndefined()
  })

  test('takes over what an earlier version kept, once, and demands macs when that version is gone', async () => {
    // As the earlier version left it: heads in files, records without macs.
    const known = await memory()
    const heads = join(runtime.config.dataDir, 'log-heads', tenant.id)
    await mkdir(heads, { recursive: true })
    await writeFile(join(heads, 'seals.json'), JSON.stringify(known?.seals))
    await writeFile(join(heads, `${date}.json`), JSON.stringify(known?.days[date]))
    await rm(folder(), { recursive: true })
    await append()
    await asOwner(runtime, 'update audit_records set mac = null where tenant_id = $1', [tenant.id])
    await asOwner(runtime, 'update audit_days set mac = null where tenant_id = $1', [tenant.id])

    await sign()
    const taken = await memory()
    expect(taken).toMatchObject({ seals: known?.seals, sealedThrough: yesterday, keyedFrom: null })
    expect(await readdir(join(runtime.config.dataDir, 'log-heads'))).not.toContain(tenant.id)
    const keyed = (gone: boolean) =>
      runtime.database.inTenant(tenant.id, (tx) => beginKeyed(tx, tenant, async () => gone))
    await keyed(false)
    expect((await memory())?.keyedFrom).toBeNull()
    await keyed(true)
    expect((await memory())?.keyedFrom).toEqual({ date, seq: taken?.days[date]?.size })

    await append()
    await sign()
    await append()
    await asOwner(runtime, 'update audit_records set mac = null where tenant_id = $1', [tenant.id])
    await expect(sign()).rejects.toThrow(/its mac is missing/)
  })
})
