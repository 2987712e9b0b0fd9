import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { logRoute } from '#server/audit/monitors/log-route.ts'
import { currentVerifierKey } from '#server/audit/notes/checkpoint-note.ts'
import { cosignedMessage, cosignerKeyId, findCosignature, parseCosignerKey } from '#server/audit/notes/cosignature.ts'
import { parseCheckpoint, parseNote, verifyNote } from '#server/audit/notes/signed-note.ts'
import { sealLog } from '#server/audit/sealing/log-name.ts'
import { sealClosedDays } from '#server/audit/sealing/seal-days.ts'
import { findLatestSealCheckpoint } from '#server/audit/sealing/seal-store.ts'
import { signTenant } from '#server/audit/sealing/sealer.ts'
import { signDay } from '#server/audit/sealing/sign-day.ts'
import { today } from '#server/audit/store.ts'
import { verifyConsistency } from '#server/audit/tree/merkle.ts'
import { loadConfig } from '#server/kernel/config.ts'
import { asOwner } from '#server/testing/owner.ts'
import { moveToPast } from '#server/testing/past-day.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import type { Witness } from './ask-witness.ts'
import { askWitness } from './ask-witness.ts'
import { cosignedNote } from './cosigned.ts'
import { loadWitnesses } from './witnesses.ts'

let runtime: Awaited<ReturnType<typeof testRuntime>>
beforeAll(async () => {
  runtime = await testRuntime({ environment: { PUBLIC_LOG: 'true' } })
})
afterAll(() => runtime.close())

/** A witness as c2sp.org/tlog-witness describes it, which remembers one size and root for each origin. */
class TestWitness {
  readonly seen = new Map<string, { size: number; root: Uint8Array }>()
  readonly asked: number[] = []
  readonly keys = new Map<string, string>()
  readonly server: Server
  readonly #pair = generateKeyPairSync('ed25519')
  readonly name = 'witness.example/w1'
  /** Signs with another key than the one it publishes. */
  forge = false

  constructor() {
    this.server = createServer(async (request, response) => {
      const { status, body, type } = this.#answer(await readText(request), request.url)
      response.writeHead(status, { 'content-type': type ?? 'text/plain' }).end(body)
    })
  }
  #raw(): Buffer {
    return Buffer.from(createPublicKey(this.#pair.privateKey).export({ format: 'jwk' }).x ?? '', 'base64url')
  }
  vkey(): string {
    return `${this.name}+${cosignerKeyId(this.name, this.#raw())}+${Buffer.concat([Buffer.of(4), this.#raw()]).toString('base64')}`
  }
  async listen(): Promise<Witness> {
    this.server.listen(0, '127.0.0.1')
    await once(this.server, 'listening')
    const { port } = this.server.address() as AddressInfo
    return { url: `http://127.0.0.1:${port}`, key: parseCosignerKey(this.vkey()) }
  }
  #answer(request: string, url: string | undefined): { status: number; body: string; type?: string } {
    if (url !== '/add-checkpoint') return { status: 404, body: '' }
    const split = request.indexOf('\n\n')
    const [first = '', ...lines] = request.slice(0, split).split('\n')
    const note = request.slice(split + 2)
    const old = Number(first.replace('old ', ''))
    this.asked.push(old)
    const text = parseNote(note).text
    const { origin, size, root } = parseCheckpoint(text)
    const key = this.keys.get(origin)
    if (key === undefined) return { status: 404, body: 'unknown origin' }
    if (!verifyNote(note, [key]).ok) return { status: 403, body: 'not signed' }
    const before = this.seen.get(origin)
    if ((before?.size ?? 0) !== old) return { status: 409, body: `${before?.size ?? 0}\n`, type: 'text/x.tlog.size' }
    const proof = lines.map((line) => Buffer.from(line, 'base64'))
    if (before !== undefined && !verifyConsistency({ size1: old, root1: before.root, size2: size, root2: root, proof }))
      return { status: 422, body: 'not consistent' }
    this.seen.set(origin, { size, root })
    const time = 1_800_000_000
    const stamp = Buffer.alloc(8)
    stamp.writeBigUInt64BE(BigInt(time))
    const by = this.forge ? generateKeyPairSync('ed25519').privateKey : this.#pair.privateKey
    const signature = sign(null, cosignedMessage(text, time), by)
    const id = Buffer.from(cosignerKeyId(this.name, this.#raw()), 'hex')
    return { status: 200, body: `— ${this.name} ${Buffer.concat([id, stamp, signature]).toString('base64')}\n` }
  }
  async close() {
    this.server.close()
    await once(this.server, 'close')
  }
}

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
