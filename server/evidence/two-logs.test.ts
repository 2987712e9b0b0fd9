import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isJsonObject, type JsonObject } from '#lib/json.ts'
import { type Outside, verifyArchive } from '#lib/verify/verify.ts'
import { signCheckpoint } from '#server/audit/notes/checkpoint-note.ts'
import { formatCheckpoint, parseCheckpoint, parseNote, signNote, verifierKey } from '#server/audit/notes/signed-note.ts'
import { formatTlogProof, parseTlogProof } from '#server/audit/notes/tlog-proof.ts'
import { sealLog } from '#server/audit/sealing/log-name.ts'
import { storedDay } from '#server/audit/sealing/read-day.ts'
import { signTenant } from '#server/audit/sealing/sign-tenant.ts'
import { inclusionProof, leafHash, treeRoot } from '#server/audit/tree/merkle.ts'
import { rootAt } from '#server/audit/tree/tree.ts'
import { auditLeaf, recordDigest } from '#server/kernel/audit/record.ts'
import { exportRuntime, twoDaysArchive } from '#server/testing/exports.ts'
import { readArchiveFiles } from '#server/testing/extract.ts'
import { type ArchiveFiles, packArchive, resealed } from '#server/testing/forged-archive.ts'
import { asOwner } from '#server/testing/owner.ts'
import { publishedKeys } from '#server/testing/published-keys.ts'
import type { TestTenant } from '#server/testing/tenant.ts'

// An operator has every key and can sign a second log. Its days must not pass for days of the log that others see.

let runtime: Awaited<ReturnType<typeof exportRuntime>>
let folder: string
let files: ArchiveFiles
let owner: TestTenant
let tenant: string
let [yesterday, today, closedDays] = ['', '', '']
beforeAll(async () => {
  runtime = await exportRuntime()
  const made = await twoDaysArchive(runtime)
  ;({ yesterday, today, tenant: owner } = made)
  tenant = made.tenant.externalId
  folder = `evidence-room-${made.exportId}`
  files = await readArchiveFiles((await runtime.extract('two-logs', made.bytes)).top)
  closedDays = originOf('data/proofs/seals.checkpoint')
})
afterAll(() => runtime.close())

const textOf = (path: string) => parseNote(String(files.get(path))).text
const originOf = (path: string) => parseCheckpoint(textOf(path)).origin

const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const signed = (origin: string, hashes: Buffer[]) =>
  signNote(formatCheckpoint({ origin, size: hashes.length, root: treeRoot(hashes) }), { name: origin, privateKey })
const hashesOf = (entries: readonly string[]) => entries.map((entry) => leafHash(Buffer.from(entry)))
const headOf = (entries: readonly string[]) => signed(closedDays, hashesOf(entries))
const proofOf = (entries: readonly string[]) =>
  formatTlogProof({ index: 0, proof: inclusionProof(hashesOf(entries), 0), checkpoint: headOf(entries) })

/** The archive with the head of this log of closed days, and other files. */
const changed = (
  head: readonly string[],
  others: Record<string, string>,
  stated: (manifest: JsonObject) => JsonObject = () => ({}),
) =>
  resealed(files, {
    files: (content) => {
      const origins = Object.values(others).flatMap((text) => /^\S+\/audit\/\S+$/m.exec(text)?.[0] ?? [])
      const keys = [closedDays, ...origins].map((origin) => `${verifierKey(origin, publicKey)}\n`).join('')
      content.set('data/keys/vkeys.txt', Buffer.from(`${String(content.get('data/keys/vkeys.txt'))}${keys}`))
      content.set('data/proofs/seals.checkpoint', Buffer.from(headOf(head)))
      for (const [path, text] of Object.entries(others)) content.set(path, Buffer.from(text))
    },
    manifest: (manifest) => ({ ...manifest, heads: { seals: headOf(head) }, ...stated(manifest) }),
  })

async function found(content: ArchiveFiles, name: string) {
  const { checks, verdicts } = await verifyArchive(new Blob([new Uint8Array(await packArchive(folder, content))]))
  const { state, detail } = checks.find((check) => check.name === name) ?? {}
  return { log: verdicts.log, state, detail }
}

test('the service proves days to one head, also when others are closed while it reads them', async () => {
  const { id, externalId } = await runtime.tenant()
  const [first = '', second = ''] = [2, 1].map((ago) =>
    new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10),
  )
  await asOwner(runtime, 'insert into audit_days (tenant_id, date, size) values ($1, $2, 0)', [id, first])
  await signTenant(id)
  await runtime.database.inTenant(id, async (tx) => {
    const root = await rootAt(tx, { tenantId: id, name: sealLog }, 1)
    if (root === undefined) throw new Error('The day was not closed.')
    const head = { size: 1, root, note: await signCheckpoint(tx, { id, externalId }, { log: sealLog, size: 1, root }) }
    const { open, seal } = await storedDay(tx, { id, externalId }, first, head)
    expect({ open, head: parseTlogProof(seal?.tlogProof ?? '')?.checkpoint }).toEqual({ open: false, head: head.note })
    // The day after was closed, too, and this head does not contain it.
    expect(await storedDay(tx, { id, externalId }, second)).toMatchObject({ open: false })
    expect(await storedDay(tx, { id, externalId }, second, head)).toMatchObject({ open: true, seal: undefined })
  })
})

describe('a closed day of the period', () => {
  const under = async (proved: (day: string) => string[], head: (day: string) => string[]) => {
    const day = textOf(`data/proofs/${yesterday}.checkpoint`)
    const seal = { [`data/proofs/${yesterday}.seal.tlog-proof`]: proofOf(proved(day)) }
    return await found(changed(head(day), seal), `Seal of ${yesterday}`)
  }

  test('holds when it is proved to the head that the archive has', async () => {
    const one = (day: string) => [day]
    expect(await under(one, one)).toMatchObject({ log: 'holds', state: 'holds' })
  })

  test('is not checked when it is proved to a smaller head, which may be of a second log', async () => {
    expect(
      await under(
        (day) => [day],
        () => ['the true day', 'another day'],
      ),
    ).toEqual({
      log: 'not checked',
      state: 'not checked',
      detail:
        'The day is entry 0 of 1 in a signed log of closed days. Whether that is the one whose head of 2 the archive has, nothing in it shows. Export the period again.',
    })
  })

  test('fails when it is proved to a larger head, or to one of the same size with another root', async () => {
    for (const head of [['the true day'], ['the true day', 'another day']])
      expect(
        await under(
          (day) => [day, 'another day'],
          () => head,
        ),
      ).toMatchObject({ log: 'fails', state: 'fails' })
  })
})

describe('a record from outside the period', () => {
  const under = async (proved: (day: string) => string[], head: (day: string) => string[]) => {
    const [date, nonce] = ['2026-01-01', Buffer.alloc(32, 7)]
    const record: JsonObject = { action: 'a.b', at: `${date}T10:00:00.000Z`, auditId: 'forged', details: {}, tenant }
    const digest = recordDigest(nonce, record)
    const fields = { auditId: 'forged', date, seq: 0, tenant, type: 'a.b' }
    const leaf = { ...fields, digest: `sha256:${digest.toString('hex')}`, v: 1 }
    const day = signed(originOf(`data/proofs/${yesterday}.checkpoint`).replace(yesterday, date), [
      leafHash(auditLeaf({ ...fields, digest })),
    ])
    const entry = parseNote(day).text
    const others = {
      'data/other-records.ndjson': `${JSON.stringify({ leaf, nonce: nonce.toString('hex'), record, path: [] })}\n`,
      [`data/proofs/other/${date}.checkpoint`]: day,
      [`data/proofs/other/${date}.seal.tlog-proof`]: proofOf(proved(entry)),
    }
    return await found(changed(head(entry), others), 'Other records')
  }

  test('holds when its day is proved to the head that the archive has', async () => {
    const both = (day: string) => [day, 'another day']
    expect(await under(both, both)).toMatchObject({ state: 'holds' })
  })

  test('is not checked when its day is proved to a head of another size', async () => {
    for (const head of [['the true day'], ['the true day', 'another day', 'a third one']])
      expect(
        await under(
          (day) => [day, 'another day'],
          () => head,
        ),
      ).toMatchObject({
        state: 'not checked',
        detail: expect.stringContaining('The records of 2026-01-01 are in the signed logs of those days. Whether'),
      })
  })

  test('fails when its day is proved to another root of the same size', async () => {
    expect(
      await under(
        (day) => [day],
        () => ['the true day'],
      ),
    ).toMatchObject({ log: 'fails', state: 'fails' })
  })
})

describe('an open day', () => {
  const later = () => ({ sealedAt: new Date(Date.now() + 3 * 86_400_000).toISOString() })
  const under = async (entries: (day: string) => string[], stated: () => JsonObject) => {
    const all = entries(textOf(`data/proofs/${yesterday}.checkpoint`))
    const seal = { [`data/proofs/${yesterday}.seal.tlog-proof`]: proofOf(all) }
    return await found(changed(all, seal, stated), 'Open days')
  }

  test('holds while it lasts', async () => {
    expect(
      await under(
        (day) => [day],
        () => ({}),
      ),
    ).toEqual({ log: 'holds' })
  })

  test('is not checked when it was over for long, or when it was closed while the archive was made', async () => {
    const cut = await under((day) => [day], later)
    expect(cut).toMatchObject({ log: 'not checked', state: 'not checked' })
    expect(cut.detail).toMatch(`${today} ended before the archive was sealed and could be closed since.`)
    expect(
      await under(
        (day) => [day, 'today'],
        () => ({}),
      ),
    ).toMatchObject({ log: 'not checked', state: 'not checked' })
  })

  test('fails when it was over for long and the log of closed days contains it', async () => {
    expect(await under((day) => [day, 'today'], later)).toEqual({
      log: 'fails',
      state: 'fails',
      detail: `${today} is open in the archive, although its head of the log of closed days contains that day.`,
    })
  })

  /** Yesterday is declared open, with these leaves. */
  const twoOpen = (leaves: Buffer[]) => {
    const checkpoint = `data/proofs/${yesterday}.checkpoint`
    const note = signed(originOf(checkpoint), leaves)
    const changes: Record<string, string> = { [checkpoint]: note }
    return changed([textOf(checkpoint)], changes, ({ days }) => ({
      days: (Array.isArray(days) ? days : []).map((day) =>
        isJsonObject(day) && day.date === yesterday
          ? { ...day, open: true, size: leaves.length, root: treeRoot(leaves).toString('hex') }
          : day,
      ),
    }))
  }
  const freshness = async (content: ArchiveFiles, published: Outside['published']) => {
    const archive = new Blob([new Uint8Array(await packArchive(folder, content))])
    const { checks } = await verifyArchive(archive, { published })
    return checks.find(({ name }) => name === 'Newest head')
  }

  test('must be part of the service’s log, also when a later day is open', async () => {
    const ask: Outside['published'] = ({ heads }) => publishedKeys(owner, { ...heads, seals: undefined })
    const genuine = resealed(twoOpen([]), { files: (content) => void content.delete('data/proofs/seals.checkpoint') })
    expect(await freshness(genuine, ask)).toMatchObject({ state: 'holds' })
    const onlyToday = await publishedKeys(owner)
    // Without records, the earlier day is the beginning of any log.
    expect(await freshness(genuine, async () => onlyToday)).toMatchObject({ state: 'holds' })
    const other = resealed(twoOpen([leafHash(Buffer.from('x'))]), {
      files: (content) => void content.delete('data/proofs/seals.checkpoint'),
    })
    expect(await freshness(other, async () => onlyToday)).toMatchObject({
      state: 'not checked',
      detail: expect.stringContaining(`The service’s current head of the records of ${yesterday} is needed, too.`),
    })
    expect(await freshness(other, ask)).toMatchObject({ state: 'fails' })
  })
})
