import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { currentVerifierKey } from '#server/audit/notes/checkpoint-note.ts'
import { parseCheckpoint, verifyNote } from '#server/audit/notes/signed-note.ts'
import { sealLog } from '#server/audit/sealing/log-name.ts'
import { recheckTenant, whyBroken } from '#server/audit/sealing/recheck.ts'
import { rotateLogKey } from '#server/audit/sealing/rotate-log-key.ts'
import { signTenant } from '#server/audit/sealing/sign-tenant.ts'
import { today } from '#server/audit/store.ts'
import {
  consistencyRanges,
  emptyRoot,
  inclusionRanges,
  leafHash,
  rootFromInclusionProof,
  verifyConsistency,
} from '#server/audit/tree/merkle.ts'
import { rangeRoot, type Tiles } from '#server/audit/tree/tiles.ts'
import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import { newId } from '#server/kernel/ids.ts'
import { runtime as current, setRuntime } from '#server/kernel/runtime.ts'
import { asOwner } from '#server/testing/owner.ts'
import { moveToPast } from '#server/testing/past-day.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { logKeysRoute } from './log-keys-route.ts'
import { parseLogPath } from './log-resource.ts'
import { logRoute } from './log-route.ts'

// A monitor that uses only the address and the formats of C2SP.

let runtime: Awaited<ReturnType<typeof testRuntime>>
let date: string
beforeAll(async () => {
  runtime = await testRuntime({ environment: { PUBLIC_LOG: 'true' } })
  date = await runtime.database.inDirectory(today)
})
afterAll(() => runtime.close())

const daysAgo = (days: number) => new Date(Date.parse(date) - days * 86_400_000).toISOString().slice(0, 10)
const fetchLog = (path: string, headers: Record<string, string> = {}) =>
  logRoute(new Request(`http://localhost:3000/v1/log/${path}`, { headers }), { params: Promise.resolve({ path }) })
const text = async (path: string) => {
  const response = await fetchLog(path)
  expect(response.status, path).toBe(200)
  return await response.text()
}
const bytes = async (path: string) => Buffer.from(await (await fetchLog(path)).arrayBuffer())

const append = (tenant: TestTenant, count: number) =>
  runtime.database.inTenant(tenant.id, async (tx) => {
    for (let index = 0; index < count; index++)
      await appendAudit(tx, tenant, { actor: systemActor, action: 'test', resource: { type: 'x', id: newId() } })
  })

/** A tenant whose log began `days` days ago. */
async function since(days: number): Promise<TestTenant> {
  const tenant = await testTenant(runtime)
  await moveToPast(runtime, tenant, daysAgo(days))
  await signTenant(tenant.id)
  return tenant
}

/** A day before today is over, without records: the first entry of the log of closed days. */
async function endDay(tenant: TestTenant): Promise<void> {
  await asOwner(runtime, 'insert into audit_days (tenant_id, date, size) values ($1, $2, 0)', [tenant.id, daysAgo(1)])
  await signTenant(tenant.id)
}

const logKeysOf = (externalId: string, query = '') =>
  logKeysRoute(new Request(`http://localhost:3000/.well-known/countersign/${externalId}/log-keys.json${query}`), {
    params: Promise.resolve({ externalId }),
  })

async function checkpointOf(prefix: string) {
  const note = await text(`${prefix}/checkpoint`)
  const keys = (await text(`${prefix}/keys`)).trimEnd().split('\n')
  const verified = verifyNote(note, keys)
  if (!verified.ok) throw new Error(verified.reason)
  return { ...parseCheckpoint(verified.text), keys }
}

/** Fetches the tiles of a tree of `size` leaves by the paths of the specification. */
async function fetchTiles(prefix: string, size: number): Promise<Tiles> {
  const found = new Map<string, Buffer>()
  for (let level = 0, hashes = size; hashes > 0; level++, hashes = Math.floor(hashes / 256))
    for (let tile = 0; tile * 256 < hashes; tile++) {
      const width = Math.min(256, hashes - tile * 256)
      const path = `${prefix}/tile/${level}/${String(tile).padStart(3, '0')}${width === 256 ? '' : `.p/${width}`}`
      found.set(`${level}/${tile}`, await bytes(path))
    }
  return ({ level, tile }) => found.get(`${level}/${tile}`)
}

describe('a monitor without a token, if the log is public,', () => {
  test('rebuilds the root of a day from its tiles, and verifies that each size extends the last', async () => {
    const tenant = await testTenant(runtime)
    const prefix = `t/${tenant.externalId}/audit/${date}`
    let before: { size: number; root: Uint8Array } | undefined
    for (const count of [5, 260, 300]) {
      await append(tenant, count)
      await signTenant(tenant.id)
      const { origin, size, root } = await checkpointOf(prefix)
      expect(origin).toBe(`localhost:3000/t/${tenant.externalId}/audit/${date}`)
      const tiles = await fetchTiles(prefix, size)
      expect(rangeRoot(tiles, [0, size])).toEqual(Buffer.from(root))
      if (before !== undefined) {
        const proof = consistencyRanges(before.size, size).map((range) => rangeRoot(tiles, range) ?? Buffer.alloc(0))
        const extended = { size1: before.size, root1: before.root, size2: size, root2: root, proof }
        expect(verifyConsistency(extended)).toBe(true)
      }
      before = { size, root }
    }
  })

  test('follows the closed days: each entry is the last checkpoint of its day and part of the signed tree', async () => {
    const tenant = await since(4)
    const prefix = `t/${tenant.externalId}/seals`
    const { origin, size, root } = await checkpointOf(prefix)
    expect([origin, size]).toEqual([`localhost:3000/t/${tenant.externalId}/seals`, 4])
    const bundle = await bytes(`${prefix}/tile/entries/000.p/4`)
    const tiles = await fetchTiles(prefix, size)
    const dates: string[] = []
    for (let at = 0, index = 0; at < bundle.length; index++) {
      const length = bundle.readUInt16BE(at)
      const entry = bundle.subarray(at + 2, at + 2 + length)
      at += 2 + length
      const day = parseCheckpoint(entry.toString())
      dates.push(day.origin.slice(-10))
      const proof = inclusionRanges(index, size).map((range) => rangeRoot(tiles, range) ?? Buffer.alloc(0))
      expect(rootFromInclusionProof({ index, size, leafHash: leafHash(entry), proof })).toEqual(Buffer.from(root))
      const closed = await checkpointOf(`t/${tenant.externalId}/audit/${dates[index]}`)
      expect([closed.size, closed.root]).toEqual([day.size, day.root])
    }
    expect(dates).toEqual([daysAgo(4), daysAgo(3), daysAgo(2), daysAgo(1)])
  })

  test('may cache tiles permanently but must revalidate checkpoints', async () => {
    const tenant = await since(2)
    const headers = async (path: string) => (await fetchLog(`t/${tenant.externalId}/${path}`)).headers
    const tile = await headers('seals/tile/0/000.p/2')
    expect(tile.get('content-type')).toBe('application/octet-stream')
    expect(tile.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(tile.get('etag')).toMatch(/^"[\w-]{43}"$/)
    const checkpoint = await headers('seals/checkpoint')
    expect(checkpoint.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(checkpoint.get('cache-control')).toBe('no-cache')
    expect(checkpoint.get('etag')).toBeNull()
  })

  test('gets 404 for unsigned data, unknown paths and other spellings', async () => {
    const tenant = await since(2)
    const known = `t/${tenant.externalId}`
    for (const path of [
      `${known}/seals/tile/0/000`,
      `${known}/seals/tile/0/000.p/3`,
      `${known}/seals/tile/0/000.p/0`,
      `${known}/seals/tile/0/000.p/02`,
      `${known}/seals/tile/0/000.p/256`,
      `${known}/seals/tile/0/x000/000.p/2`,
      `${known}/seals/tile/00/000.p/2`,
      `${known}/seals/tile/64/000.p/2`,
      `${known}/audit/${daysAgo(2)}/tile/entries/000.p/1`,
      `${known}/audit/${daysAgo(9)}/checkpoint`,
      `${known}/audit/2026-13-77/checkpoint`,
      `${known}/audit/2026-02-30/checkpoint`,
      `${known}/audit/0000-01-01/checkpoint`,
      't/unknown/seals/checkpoint',
      'seals/checkpoint',
      `${known}/seals/checkpoint/`,
    ])
      expect((await fetchLog(path)).status, path).toBe(404)
    expect((await fetchLog(`${known}/seals/tile/0/000.p/1`)).status).toBe(200)
  })

  test('verifies signatures of a retired key with the published keys', async () => {
    const tenant = await since(2)
    const old = await text(`t/${tenant.externalId}/audit/${daysAgo(2)}/checkpoint`)
    const { keys } = await checkpointOf(`t/${tenant.externalId}/seals`)
    const added = await runtime.database.inTenant(tenant.id, (tx) => rotateLogKey(tx, tenant))
    await append(tenant, 1)
    await signTenant(tenant.id)
    const now = await checkpointOf(`t/${tenant.externalId}/audit/${date}`)
    expect(now.keys).toHaveLength(2)
    expect((await checkpointOf(`t/${tenant.externalId}/seals`)).keys).toEqual([added, ...keys])
    const published = (await text(`t/${tenant.externalId}/audit/${daysAgo(2)}/keys`)).trimEnd().split('\n')
    expect(verifyNote(old, published).ok).toBe(true)
    // New checkpoints are signed only with the new key.
    const note = await text(`t/${tenant.externalId}/audit/${date}/checkpoint`)
    expect(verifyNote(note, now.keys.slice(1)).ok).toBe(false)
    expect(verifyNote(note, now.keys.slice(0, 1)).ok).toBe(true)
  })
})

describe('on a tenant’s first day', () => {
  test('the keys of the log of closed days are served before anything is signed', async () => {
    const tenant = await testTenant(runtime)
    const prefix = `t/${tenant.externalId}`
    const keys = (await text(`${prefix}/seals/keys`)).trimEnd().split('\n')
    expect(keys).toEqual([await runtime.database.inTenant(tenant.id, (tx) => currentVerifierKey(tx, tenant, sealLog))])
    const file = await (await logKeysOf(tenant.externalId)).json()
    expect(file).toMatchObject({ heads: { seals: null, day: null } })
    expect(file.keys.map(({ purpose }: { purpose: string }) => purpose).sort()).toEqual(['evidence', 'log'])
    // A day without a log does not have keys.
    expect((await fetchLog(`${prefix}/audit/${daysAgo(1)}/keys`)).status).toBe(404)
  })

  test('the log of closed days is signed while it is empty, once, and the first closed day continues it', async () => {
    const tenant = await testTenant(runtime)
    const prefix = `t/${tenant.externalId}`
    await signTenant(tenant.id)
    await append(tenant, 1)
    await signTenant(tenant.id)
    const { origin, size, root } = await checkpointOf(`${prefix}/seals`)
    expect(origin).toBe(`localhost:3000/t/${tenant.externalId}/seals`)
    expect([size, Buffer.from(root)]).toEqual([0, emptyRoot])
    const { heads } = await (await logKeysOf(tenant.externalId)).json()
    expect(heads.seals).toEqual({ note: await text(`${prefix}/seals/checkpoint`) })
    expect((await fetchLog(`${prefix}/seals/tile/0/000.p/1`)).status).toBe(404)
    expect(await whyBroken(tenant, sealLog)).toBeUndefined()
    await endDay(tenant)
    expect((await checkpointOf(`${prefix}/seals`)).size).toBe(1)
    expect(await whyBroken(tenant, sealLog)).toBeUndefined()
  })

  test('a changed head of the empty log raises an alarm, and a forgotten one is signed again as it was', async () => {
    const [forgotten, changed] = [await testTenant(runtime), await testTenant(runtime)]
    const head = (tenant: TestTenant) => text(`t/${tenant.externalId}/seals/checkpoint`)
    for (const tenant of [forgotten, changed]) await signTenant(tenant.id)
    const before = await head(forgotten)
    await asOwner(runtime, 'delete from audit_seal_checkpoints where tenant_id = $1', [forgotten.id])
    await signTenant(forgotten.id)
    expect(await head(forgotten)).toBe(before)
    await asOwner(runtime, `update audit_seal_checkpoints set root = sha256('x') where tenant_id = $1`, [changed.id])
    await recheckTenant(changed.id)
    expect(
      await runtime.database.inTenant(changed.id, (tx) => tx.selectFrom('alarms').select('subject').execute()),
    ).toEqual([{ subject: sealLog }])
  })

  test('an empty log is not signed again once the signer remembers a closed day', async () => {
    const tenant = await testTenant(runtime)
    await signTenant(tenant.id)
    await endDay(tenant)
    for (const table of ['audit_seal_checkpoints', 'audit_seals'])
      await asOwner(runtime, `delete from ${table} where tenant_id = $1`, [tenant.id])
    await asOwner(runtime, 'update audit_days set sealed_at = null where tenant_id = $1', [tenant.id])
    await signTenant(tenant.id)
    expect((await fetchLog(`t/${tenant.externalId}/seals/checkpoint`)).status).toBe(404)
  })
})

test('all keys of a tenant are below its log as they are in log-keys.json, with proofs for what the caller knows', async () => {
  const tenant = await since(3)
  const known = `?seals=1&day=${daysAgo(2)}&size=0`
  const { issuedAt, ...file } = await (await logKeysOf(tenant.externalId, known)).json()
  const response = await fetchLog(`t/${tenant.externalId}/keys${known}`)
  expect(response.headers.get('content-type')).toBe('application/json')
  expect(response.headers.get('cache-control')).toBe('no-cache')
  const { issuedAt: again, ...same } = await response.json()
  expect(same).toEqual(file)
  expect(Date.parse(again)).toBeGreaterThanOrEqual(Date.parse(issuedAt) - 5000)
  expect(same.heads.seals.consistency.length).toBeGreaterThan(0)
  const sizes = ['none', '1e0', '0x1', '1.0', '', '%201', '-0', '99999999999'].map((size) => `?seals=${size}`)
  for (const query of [...sizes, '?day=2026-02-01&size=1e0', '?day=0000-01-01&size=1', '?day=2026-02-30&size=1']) {
    expect((await fetchLog(`t/${tenant.externalId}/keys${query}`)).status, query).toBe(400)
    expect((await logKeysOf(tenant.externalId, query)).status, query).toBe(400)
  }
  // Readers of the verifier keys of one log get what they always got.
  expect(await text(`t/${tenant.externalId}/seals/keys?format=json`)).toMatch(/^localhost:3000\/t\//)
})

test('without PUBLIC_LOG a caller that is not a member of the tenant gets nothing', async () => {
  const tenant = await since(1)
  const open = current()
  setRuntime({ ...open, config: { ...open.config, publicLog: false } })
  try {
    for (const path of ['seals/checkpoint', 'seals/keys', 'keys'])
      expect((await fetchLog(`t/${tenant.externalId}/${path}`)).status).toBe(401)
  } finally {
    setRuntime(open)
  }
})

test('tile paths are read as the specification writes them', () => {
  const at = (path: string) => parseLogPath(`t/a/seals/tile/${path}`)
  expect(at('0/x001/x234/067')).toMatchObject({ kind: 'tile', level: 0, tile: 1_234_067, width: 256 })
  expect(at('1/000.p/17')).toMatchObject({ kind: 'tile', level: 1, tile: 0, width: 17 })
  expect(at('entries/x001/000.p/255')).toMatchObject({ kind: 'entries', tile: 1000, width: 255 })
  expect(parseLogPath('t/a%2Fb/audit/2026-11-20/checkpoint')).toMatchObject({ externalId: 'a/b', log: '2026-11-20' })
})
