import { spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Report } from '#lib/verify/report.ts'
import { checkAuthority, readTimeStamp } from '#lib/verify/time-stamps/time-stamp.ts'
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
    const pem = await readFile(authority.certificate, 'utf8')
    const reportOf = async (certificate?: string) => {
      const bytes = await packArchive(`evidence-room-${job.exportId}`, files)
      const archive = new Blob([new Uint8Array(bytes)])
      return await verifyArchive(archive, certificate === undefined ? {} : { authority: async () => certificate })
    }
    const stampsIn = ({ checks }: Report) => checks.filter(({ name }) => name === 'Time-stamp')
    const neutral = await reportOf()
    expect(stampsIn(neutral)).toMatchObject([{ verdict: 'integrity', state: 'holds' }])
    expect(neutral.verdicts).toMatchObject({ integrity: 'holds', freshness: 'not checked' })
    const known = await reportOf(pem)
    expect(stampsIn(known)).toMatchObject([{ verdict: 'integrity' }, { verdict: 'freshness', state: 'holds' }])
    expect(known.verdicts).toMatchObject({ integrity: 'holds', freshness: 'not checked' })
    const other = await startTimeStamps()
    const foreign = await reportOf(await readFile(other.certificate, 'utf8')).finally(() => other.close())
    expect(stampsIn(foreign)[1]).toMatchObject({ state: 'fails' })
    expect(stampsIn(foreign)[1]?.detail).toContain('Another authority')
    expect(stampsIn(await reportOf('no certificate'))[1]).toMatchObject({ state: 'not checked' })

    const zip = join(top, '..', 'stamped.zip')
    await writeFile(zip, await packArchive(`evidence-room-${job.exportId}`, files))
    const command = (...args: string[]) =>
      spawnSync(process.execPath, [join(top, 'verify.mjs'), zip, ...args], { encoding: 'utf8' }).stdout
    expect(command()).toContain('FRESHNESS: not checked')
    expect(command('--tsa', authority.certificate)).toContain('FRESHNESS: not checked')

    const stamp = files.get('seal/manifest.json.tsr') ?? Buffer.alloc(0)
    const manifest = files.get('manifest.json') ?? Buffer.alloc(0)
    const read = (bytes: Buffer) => readTimeStamp(new Uint8Array(bytes), new Uint8Array(manifest))
    expect(Math.abs((await read(stamp)).at - Date.now())).toBeLessThan(60_000)
    await expect(readTimeStamp(new Uint8Array(stamp), new Uint8Array([1]))).rejects.toThrow('another manifest.json')
    // No flipped bit may give another time, another signer, or an error that is not understood.
    for (let at = 0; at < stamp.length; at += 7) {
      const changed = Buffer.from(stamp)
      changed[at] = (changed[at] ?? 0) ^ 1
      const outcome = await read(changed)
        .then(
          async (found) => checkAuthority(found, pem).then(() => found.at),
          (error: unknown) => error,
        )
        .catch((error: unknown) => error)
      if (typeof outcome === 'number') expect(outcome).toBe((await read(stamp)).at)
      else expect(outcome).toBeInstanceOf(Error)
    }
    files.delete('seal/manifest.json.tsr')
    expect(stampsIn(await reportOf())).toMatchObject([
      {
        verdict: 'integrity',
        state: 'fails',
        detail: `The manifest names the time-stamp of ${authority.url}, which is missing.`,
      },
    ])
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
