import { spawnSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { auditorOf, exportRuntime, fetchArchive } from '../exports.ts'

// The seal of an archive, read by the verifier that Sigstore's authors wrote.

let runtime: Awaited<ReturnType<typeof exportRuntime>>
beforeAll(async () => {
  runtime = await exportRuntime()
})
afterAll(() => runtime.close())

const verify = (top: string) =>
  spawnSync(process.execPath, [join(import.meta.dirname, 'sdks/verify-sigstore.ts'), top], { encoding: 'utf8' })

test('@sigstore/verify accepts the seal of an archive, and refuses a changed statement, file or key', async () => {
  const tenant = await runtime.tenant()
  const auditor = await auditorOf(tenant)
  const { exportId } = await runtime.make(tenant, auditor)
  const { top } = await runtime.extract('sigstore', await fetchArchive(auditor, exportId))
  expect(verify(top)).toMatchObject({ status: 0, stdout: 'manifest.json tagmanifest-sha256.txt\n' })
  const change = async (path: string, from: string, to: string, reason: string) => {
    const before = await readFile(join(top, path), 'utf8')
    expect(before).toContain(from)
    await writeFile(join(top, path), before.replace(from, to))
    expect(verify(top)).toMatchObject({ status: 1, stderr: expect.stringContaining(reason) })
    await writeFile(join(top, path), before)
  }
  await change('seal/bundle.sigstore.json', '"payload":"eyJf', '"payload":"eyJg', 'signature')
  await change('manifest.json', '"exportId"', '"exportid"', 'not the file')
  const foreign = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const own = await readFile(join(top, 'seal/seal.pub.pem'), 'utf8')
  await change('seal/seal.pub.pem', own, foreign, 'signature')
})
