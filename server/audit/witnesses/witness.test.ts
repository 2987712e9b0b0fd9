import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { logRoute } from '#server/audit/monitors/log-route.ts'
import { currentVerifierKey } from '#server/audit/notes/checkpoint-note.ts'
import { findCosignature } from '#server/audit/notes/cosignature.ts'
import { parseCheckpoint, parseNote } from '#server/audit/notes/signed-note.ts'
import { sealLog } from '#server/audit/sealing/log-name.ts'
import { sealClosedDays } from '#server/audit/sealing/seal-days.ts'
import { findLatestSealCheckpoint } from '#server/audit/sealing/seal-store.ts'
import { signDay } from '#server/audit/sealing/sign-day.ts'
import { signTenant } from '#server/audit/sealing/sign-tenant.ts'
import { today } from '#server/audit/store.ts'
import { loadConfig } from '#server/kernel/config.ts'
import { setRuntime } from '#server/kernel/runtime.ts'
import { TestWitness } from '#server/testing/fakes/witness.ts'
import { asOwner } from '#server/testing/owner.ts'
import { moveToPast } from '#server/testing/past-day.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { askWitness } from './ask-witness.ts'
import { cosignedNote } from './cosigned.ts'
import { loadWitnesses } from './witnesses.ts'

let runtime: Awaited<ReturnType<typeof testRuntime>>
beforeAll(async () => {
  runtime = await testRuntime({ environment: { PUBLIC_LOG: 'true' } })
})
afterAll(() => runtime.close())

const daysAgo = async (days: number) =>
  new Date(Date.parse(await runtime.database.inDirectory(today)) - days * 86_400_000).toISOString().slice(0, 10)

/** Creates a tenant whose seal log has its first `days` days but not yesterday, and gives the witness its key. */
async function since(days: number, witness: TestWitness): Promise<TestTenant> {
  const tenant = await testTenant(runtime)
  await moveToPast(runtime, tenant, await daysAgo(days + 1))
  for (let day = days + 1; day > 1; day--) {
    const date = await daysAgo(day)
    if (day <= days)
      await asOwner(runtime, 'insert into audit_days (tenant_id, date, size) values ($1, $2, 0)', [tenant.id, date])
    await runtime.database.inTenant(tenant.id, async (tx) => {
      await signDay(tx, tenant, date)
      await sealClosedDays(tx, tenant)
    })
  }
  const key = await runtime.database.inTenant(tenant.id, (tx) => currentVerifierKey(tx, tenant, sealLog))
  witness.keys.set(`localhost:3000/t/${tenant.externalId}/seals`, key)
  return tenant
}
/** Closes yesterday, so that the seal log grows by one. */
const oneMore = (tenant: TestTenant) => signTenant(tenant.id)
const fetchLog = (path: string) =>
  logRoute(new Request(`http://localhost:3000/v1/log/${path}`), { params: Promise.resolve({ path }) })
const published = (tenant: TestTenant) =>
  runtime.database.inTenant(tenant.id, async (tx) => {
    const last = await findLatestSealCheckpoint(tx, tenant.id)
    if (last === undefined) throw new Error('A checkpoint was not found.')
    return await cosignedNote(tx, tenant.id, last)
  })

test('a witness cosigns each checkpoint of closed days once, if it extends the last one that the witness has seen', async () => {
  const witness = new TestWitness()
  const asked = await witness.listen()
  const tenant = await since(3, witness)
  await askWitness(tenant, asked)
  await askWitness(tenant, asked)
  expect(witness.asked).toEqual([0])
  await oneMore(tenant)
  await askWitness(tenant, asked)
  expect(witness.asked).toEqual([0, 3])
  const note = await published(tenant)
  const { text, signatures } = parseNote(note)
  expect(signatures.map(({ name }) => name)).toEqual([`localhost:3000/t/${tenant.externalId}/seals`, witness.name])
  expect(parseCheckpoint(text).size).toBe(4)
  const lines = note.slice(text.length + 1)
  expect(findCosignature(text, lines, asked.key)).toContain(witness.name)
  expect(findCosignature(text.replace('\n4\n', '\n5\n'), lines, asked.key)).toBeUndefined()
  await witness.close()
})

test('a witness that fetches its key on the first day is asked when the first day is closed, not for an empty log', async () => {
  const witness = new TestWitness()
  const asked = await witness.listen()
  const tenant = await testTenant(runtime)
  const path = `t/${tenant.externalId}/seals/keys`
  const caller = await fetchLog(path)
  expect(caller.status).toBe(200)
  witness.keys.set(`localhost:3000/t/${tenant.externalId}/seals`, (await caller.text()).trim())
  await signTenant(tenant.id)
  await askWitness(tenant, asked)
  expect(witness.asked).toEqual([])
  await asOwner(runtime, 'insert into audit_days (tenant_id, date, size) values ($1, $2, 0)', [
    tenant.id,
    await daysAgo(1),
  ])
  await signTenant(tenant.id)
  await askWitness(tenant, asked)
  expect(witness.asked).toEqual([0])
  expect(await published(tenant)).toContain(`— ${witness.name} `)
  await witness.close()
})

test('a witness that has seen another size reports it, and receives the proof from that size', async () => {
  const witness = new TestWitness()
  const asked = await witness.listen()
  const tenant = await since(3, witness)
  await askWitness(tenant, asked)
  await oneMore(tenant)
  await asOwner(runtime, 'delete from audit_cosignatures where tenant_id = $1', [tenant.id])
  await askWitness(tenant, asked)
  expect(witness.asked).toEqual([0, 0, 3])
  expect(await published(tenant)).toContain(`— ${witness.name} `)
  await witness.close()
})

test('no cosignature is stored if a witness has seen more than is stored, refuses, or signs with another key', async () => {
  const witness = new TestWitness()
  const asked = await witness.listen()
  const tenant = await since(2, witness)
  const origin = `localhost:3000/t/${tenant.externalId}/seals`
  witness.seen.set(origin, { size: 9, root: Buffer.alloc(32) })
  await expect(askWitness(tenant, asked)).rejects.toThrow('has seen 9 closed days; 2 are stored')
  witness.seen.set(origin, { size: 1, root: Buffer.alloc(32) })
  await expect(askWitness(tenant, asked)).rejects.toThrow('responded with 422')
  witness.seen.clear()
  witness.forge = true
  await expect(askWitness(tenant, asked)).rejects.toThrow('without its signature')
  expect(await published(tenant)).not.toContain(witness.name)
  await witness.close()
})

test('a witness that answers without an end, or not while the process stops, is left', async () => {
  const witness = new TestWitness()
  const { key } = await witness.listen()
  const tenant = await since(2, witness)
  const arrived = Promise.withResolvers<void>()
  let endless = true
  const server = createServer((_request, response) => {
    arrived.resolve()
    if (!endless) return
    const more = () => void (response.write('x'.repeat(16 * 1024)) ? setImmediate(more) : response.once('drain', more))
    response.on('close', () => response.destroy())
    more()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const asked = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, key }
  await expect(askWitness(tenant, asked)).rejects.toThrow('more than 65536 bytes')
  endless = false
  const cut = new AbortController()
  setRuntime({ ...runtime, cut: cut.signal })
  const asking = askWitness(tenant, asked)
  const left = expect(asking).rejects.toMatchObject({ name: 'AbortError' })
  await arrived.promise
  cut.abort()
  await left
  setRuntime(runtime)
  server.closeAllConnections()
  server.close()
  await witness.close()
})

test('the file of witnesses is read at start, and the error for an invalid key names it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-witness-'))
  const path = join(folder, 'witnesses.json')
  const load = () => loadWitnesses(loadConfig({ LOG_WITNESSES: path }))
  const witness = new TestWitness()
  await writeFile(path, JSON.stringify({ witnesses: [{ url: 'https://witness.example/', vkey: witness.vkey() }] }))
  expect(await load()).toMatchObject([{ url: 'https://witness.example', key: { name: witness.name } }])
  for (const wrong of [
    { witnesses: [{ url: 'http://witness.example', vkey: witness.vkey() }] },
    { witnesses: [{ url: 'https://witness.example', vkey: witness.vkey().replace('witness', 'other') }] },
    { witnesses: [{ url: 'https://witness.example' }] },
  ]) {
    await writeFile(path, JSON.stringify(wrong))
    await expect(load()).rejects.toThrow('LOG_WITNESSES')
  }
  expect(await loadWitnesses(loadConfig({}))).toEqual([])
  await rm(folder, { recursive: true })
})
