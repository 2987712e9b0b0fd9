import { createHash, generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { JsonObject } from '#lib/json.ts'
import { verifyArchive } from '#lib/verify/verify.ts'
import { auditorOf, exportRuntime, fetchArchive } from '#server/testing/exports.ts'
import { readArchiveFiles } from '#server/testing/extract.ts'
import { type ArchiveFiles, packArchive, resealed } from '#server/testing/forged-archive.ts'
import { relogged } from '#server/testing/forged-log.ts'

// What a reader learns from an archive that is given with the one to be checked.

type Archive = { exportId: string; files: ArchiveFiles }
let runtime: Awaited<ReturnType<typeof exportRuntime>>
/** Of one organisation, each made directly after the one before it. */
const made: Archive[] = []
beforeAll(async () => {
  runtime = await exportRuntime()
  const tenant = await runtime.tenant()
  const auditor = await auditorOf(tenant)
  for (let index = 0; index < 3; index++) {
    const { exportId } = await runtime.make(tenant, auditor)
    const { top } = await runtime.extract(`archive-${index}`, await fetchArchive(auditor, exportId))
    made.push({ exportId, files: await readArchiveFiles(top) })
  }
})
afterAll(() => runtime.close())

const first = () => made[0] as Archive
const second = () => made[1] as Archive
const third = () => made[2] as Archive
const packed = async ({ exportId, files }: Archive) =>
  new Blob([new Uint8Array(await packArchive(`evidence-room-${exportId}`, files))])

async function found(archive: Archive, other: Archive) {
  const { checks, verdicts } = await verifyArchive(await packed(archive), { adjacent: await packed(other) })
  const { state, detail } = checks.find(({ name }) => name === 'Other archive') ?? {}
  return { state, detail, freshness: verdicts.freshness }
}

const sha256 = (data: Buffer | undefined): string =>
  createHash('sha256')
    .update(data ?? '')
    .digest('hex')

const withFile = ({ exportId, files }: Archive, path: string, text: string): Archive => ({
  exportId,
  files: new Map([...files, [path, Buffer.from(text)]]),
})

test('files that its seal does not cover say nothing', async () => {
  const manifestSha256 = sha256(third().files.get('manifest.json'))
  const previous = { exportId: third().exportId, manifestSha256, seals: null, consistency: [] }
  // The oldest archive, edited by someone without a key, so that it looks like the newest one.
  const chained = withFile(first(), 'data/chain.json', JSON.stringify({ previous }))
  expect(await found(third(), chained)).toEqual({
    state: 'fails',
    detail: 'data/chain.json of the other archive was changed.',
    freshness: 'fails',
  })
  const list = String(first().files.get('manifest-sha256.txt'))
  const listed = withFile(chained, 'manifest-sha256.txt', list.replace(/.*data\/chain\.json\n/, ''))
  expect(await found(third(), listed)).toMatchObject({
    state: 'fails',
    detail: 'The signed manifest of the other archive refers to a different list of files.',
  })
})

test('its manifest must agree with it, whatever the clocks said', async () => {
  const key = generateKeyPairSync('ed25519')
  const sealed = (archive: Archive, manifest: JsonObject): Archive => ({
    ...archive,
    files: resealed(archive.files, { manifest: (one) => ({ ...one, ...manifest }) }, key),
  })
  const earlier = sealed(first(), {})
  const chain = JSON.parse(String(second().files.get('data/chain.json')))
  const previous = { ...chain.previous, manifestSha256: sha256(earlier.files.get('manifest.json')) }
  const later = (manifest: JsonObject) =>
    sealed(withFile(second(), 'data/chain.json', JSON.stringify({ previous })), manifest)
  expect(await found(earlier, later({}))).toMatchObject({ state: 'holds' })
  expect(await found(later({}), earlier)).toMatchObject({ state: 'holds' })
  expect(await found(earlier, later({ previousExportId: null }))).toMatchObject({
    state: 'fails',
    detail: 'The manifest of the other archive names a different earlier archive than its data/chain.json.',
  })
  // Its clock may have been set back since: that it names the other one by its digest shows the order.
  const older = later({ sealedAt: '2026-01-01T00:00:00.000Z' })
  expect(await found(earlier, older)).toMatchObject({ state: 'holds' })
  expect(await found(older, earlier)).toMatchObject({ state: 'holds' })
  expect(await found(earlier, { ...later({}), exportId: 'another' })).toMatchObject({
    state: 'fails',
    detail: 'The signed manifest of the other archive belongs to a different export.',
  })
})

test('a day that was open in the earlier archive begins with the same records in the later one', async () => {
  const key = generateKeyPairSync('ed25519')
  const sealed = ({ exportId, files }: Archive, change: Parameters<typeof resealed>[1] = {}): Archive => ({
    exportId,
    files: resealed(files, change, key),
  })
  const earlier = sealed(first())
  const chain = JSON.parse(String(second().files.get('data/chain.json')))
  const previous = { ...chain.previous, manifestSha256: sha256(earlier.files.get('manifest.json')) }
  const later = (seals: string | null = previous.seals) =>
    withFile(second(), 'data/chain.json', JSON.stringify({ previous: { ...previous, seals } }))
  const today = JSON.parse(String(first().files.get('manifest.json'))).days[0].date
  const longer = sealed({
    ...later(),
    files: relogged(later().files, today, ([one = {}, ...more]) => [{ ...one, details: { other: true } }, ...more]),
  })
  for (const [archive, other] of [
    [earlier, longer],
    [longer, earlier],
  ] as const)
    expect(await found(archive, other)).toMatchObject({
      state: 'fails',
      detail: `The two archives contradict each other: they have another log of ${today}.`,
    })
  const without = sealed(later(), { files: (content) => void content.delete(`data/proofs/${today}.leaves`) })
  expect(await found(earlier, without)).toMatchObject({
    state: 'not checked',
    detail: `The later archive ${second().exportId} continues this one, but lacks the log of ${today}, which is open in this one.`,
    freshness: 'not checked',
  })
  const origin = 'localhost:3000/t/x/seals'
  const head = `${origin}\n0\n${createHash('sha256').digest('base64')}\n\n— ${origin} AAAA\n`
  expect(await found(sealed(later(head)), earlier)).toMatchObject({
    state: 'fails',
    detail: `The later archive knows another head of closed days of ${first().exportId} than that archive.`,
  })
})
