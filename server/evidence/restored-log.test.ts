import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkLive } from '#lib/verify/freshness.ts'
import { parseLogKey, parseNote } from '#lib/verify/note.ts'
import { verifyArchive } from '#lib/verify/verify.ts'
import { logKeysFile } from '#server/audit/monitors/log-keys.ts'
import { formatCheckpoint, signNote, verifierKey } from '#server/audit/notes/signed-note.ts'
import { continueRestored } from '#server/audit/sealing/continue-restored.ts'
import { backedUpMemories } from '#server/audit/sealing/memory/backed-up.ts'
import { signTenant } from '#server/audit/sealing/sign-tenant.ts'
import { consistencyProof, leafHash, treeRoot } from '#server/audit/tree/merkle.ts'
import { newId } from '#server/kernel/ids.ts'
import { aroundNow, exportRuntime, fetchArchive, twoDaysArchive } from '#server/testing/exports.ts'
import type { TestTenant } from '#server/testing/tenant.ts'

// What a verifier shows of a log that was restored from a backup.

const blobOf = (data: Buffer) => new Blob([new Uint8Array(data)])

describe('archives of a restored log', () => {
  let runtime: Awaited<ReturnType<typeof exportRuntime>>
  let tenant: TestTenant
  let [before, after]: Buffer[] = []
  beforeAll(async () => {
    runtime = await exportRuntime()
    const made = await twoDaysArchive(runtime)
    tenant = made.tenant
    before = made.bytes
    const backup = { id: newId(), createdAt: new Date().toISOString() }
    for await (const memory of backedUpMemories(runtime.config, [{ id: tenant.id, logName: null }]))
      await runtime.database.inTenant(tenant.id, (tx) => continueRestored(tx, tenant, backup, memory))
    await signTenant(tenant.id)
    const job = await runtime.make(tenant, made.auditor, aroundNow())
    after = await fetchArchive(made.auditor, job.exportId)
  })
  afterAll(() => runtime.close())

  const published = async ({
    heads,
  }: {
    heads: { seals?: { size: number } | undefined; open?: { size: number; origin: string } | undefined }
  }) =>
    runtime.database.inTenant(tenant.id, (tx) =>
      logKeysFile(tx, tenant, {
        seals: heads.seals?.size,
        day: heads.open && { date: heads.open.origin.slice(-10), size: heads.open.size },
      }),
    )

  test('name the restore and continue the earlier archive, and fail in nothing', async () => {
    const { checks, verdicts } = await verifyArchive(blobOf(after ?? Buffer.alloc(0)), { published })
    expect(checks.filter(({ state }) => state === 'fails')).toEqual([])
    expect(verdicts).toMatchObject({ integrity: 'holds', origin: 'holds', log: 'holds' })
    expect(checks.filter(({ name }) => name === 'Restore')).toEqual([
      {
        verdict: 'log',
        name: 'Restore',
        state: 'holds',
        detail: expect.stringMatching(
          /^On \S+ \S+ UTC the log was restored from a backup and continued under a new name and key; .* The log continues under the name restored-[0-9a-f]{12}, /,
        ),
      },
    ])
    expect(checks.find(({ name }) => name === 'Earlier archive')?.detail).toMatch(
      /continues the 1 of the earlier archive/,
    )
  })

  test('show the break to a reader of an archive from before', async () => {
    const { checks, verdicts } = await verifyArchive(blobOf(before ?? Buffer.alloc(0)), { published })
    expect(checks.filter(({ name }) => name === 'Restore')).toEqual([])
    expect(checks.filter(({ state }) => state === 'fails')).toEqual([])
    expect(verdicts.freshness).toBe('holds')
    expect(checks.find(({ name }) => name === 'Newest head')?.detail).toMatch(
      /It was restored from a backup since, and continues as localhost:3000\/restored-[0-9a-f]{12}\/t\//,
    )
  })
})

describe('the head of a log that was restored from an earlier backup', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const old = 'host.example/t/acme/seals'
  const name = 'host.example/restored-0123456789ab/t/acme/seals'
  const leaves = (...texts: string[]) => texts.map((text) => leafHash(Buffer.from(text)))
  const note = (origin: string, hashes: Buffer[]) =>
    signNote(formatCheckpoint({ origin, size: hashes.length, root: treeRoot(hashes) }), { name: origin, privateKey })
  const live = (origin: string, hashes: Buffer[], from: number) => ({
    seals: {
      note: note(origin, hashes),
      consistency: consistencyProof(hashes, from).map((hash) => hash.toString('base64')),
    },
  })
  const keysFor = (origin: string) => [parseLogKey(verifierKey(origin, publicKey))]
  const own = { seals: parseNote(note(old, leaves('a', 'b', 'c'))), open: undefined }

  test('fails for an archive that knows more than the backup', async () => {
    const lost = 'The service’s log was restored from a backup, which lacks the archive’s 3 closed days'
    await expect(checkLive(own, live(name, leaves('a', 'b', 'x', 'y'), 3), keysFor)).rejects.toThrow(lost)
    await expect(checkLive(own, live(name, leaves('a', 'b', 'c', 'd'), 3), keysFor)).resolves.toMatch(
      `3 of 4 closed days. It was restored from a backup since, and continues as ${name}.`,
    )
  })

  test('fails without a restore, too, and for a restored log that is shorter', async () => {
    await expect(checkLive(own, live(old, leaves('a', 'b', 'x', 'y'), 3), keysFor)).rejects.toThrow(/was rewritten/)
    await expect(checkLive(own, live(name, leaves('a', 'b'), 2), keysFor)).rejects.toThrow(
      /restored from a backup, which lacks/,
    )
  })
})
