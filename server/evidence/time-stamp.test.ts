import { spawnSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { verifyArchive } from '#lib/verify/verify.ts'
import { auditorOf, exportRuntime, fetchArchive } from '#server/testing/exports.ts'
import { readArchiveFiles } from '#server/testing/extract.ts'
import { type Behaviour, startTimeStamps } from '#server/testing/fakes/time-stamps.ts'
import { packArchive } from '#server/testing/forged-archive.ts'
import { timeStampOf } from './archive/time-stamp.ts'

let authority: Awaited<ReturnType<typeof startTimeStamps>>
let runtime: Awaited<ReturnType<typeof exportRuntime>>
beforeAll(async () => {
  authority = await startTimeStamps()
  runtime = await exportRuntime({ TSA_URL: authority.url })
})
afterAll(async () => {
  await runtime.close()
  await authority.close()
})

describe('with a time-stamping authority', () => {
  test('an archive has a time-stamp of its manifest, which openssl verifies, and fails without it', async () => {
    authority.answer('true')
    const tenant = await runtime.tenant()
    const auditor = await auditorOf(tenant)
    const job = await runtime.make(tenant, auditor)
    expect(job.status).toBe('completed')
    const { top } = await runtime.extract('stamped', await fetchArchive(auditor, job.exportId))
    const verify = (data: string) =>
      spawnSync(
        'openssl',
        ['ts', '-verify', '-data', data, '-in', 'seal/manifest.json.tsr', '-CAfile', authority.certificate],
        { cwd: top, encoding: 'utf8' },
      )
    expect(verify('manifest.json').stdout + verify('manifest.json').stderr).toContain('Verification: OK')
    expect(verify('bag-info.txt').status).not.toBe(0)
    const files = await readArchiveFiles(top)
    const checked = async () => {
      const bytes = await packArchive(`evidence-room-${job.exportId}`, files)
      return (await verifyArchive(new Blob([new Uint8Array(bytes)]))).checks.find(({ name }) => name === 'Time-stamp')
    }
    expect(await checked()).toMatchObject({ verdict: 'freshness', state: 'not checked' })
    files.delete('seal/manifest.json.tsr')
    expect(await checked()).toMatchObject({
      verdict: 'integrity',
      state: 'fails',
      detail: `The manifest names the time-stamp of ${authority.url}, which is missing.`,
    })
  })

  test.each<[Behaviour, string]>([
    ['error', 'answered with 503'],
    ['text', 'is malformed'],
    ['refused', 'is a refusal (status 2)'],
    ['replayed', 'is about other bytes'],
  ])('an answer that is %s is not accepted', async (behaviour, reason) => {
    authority.answer('true')
    await timeStampOf(Buffer.from('first'))
    authority.answer(behaviour)
    await expect(timeStampOf(Buffer.from('second'))).rejects.toThrow(reason)
  })

  test('an older answer about the same bytes is not accepted', async () => {
    authority.answer('true')
    await timeStampOf(Buffer.from('same'))
    authority.answer('last')
    await expect(timeStampOf(Buffer.from('same'))).rejects.toThrow('belongs to another request')
  })

  test('an export without an answer is tried again and publishes nothing', async () => {
    authority.answer('error')
    const tenant = await runtime.tenant()
    await expect(runtime.make(tenant, await auditorOf(tenant))).rejects.toThrow('answered with 503')
    expect(await runtime.files(tenant)).toEqual([])
  })
})
