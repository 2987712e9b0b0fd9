import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { verifyArchive } from '#lib/verify/verify.ts'
import { type ArchiveChange, archiveChanges } from '#server/testing/archive-changes.ts'
import { insertBoundRows } from '#server/testing/configuration.ts'
import { exportRuntime, twoDaysArchive } from '#server/testing/exports.ts'
import { readArchiveFiles, writeArchiveFiles } from '#server/testing/extract.ts'
import type { ArchiveFiles } from '#server/testing/forged-archive.ts'
import { countCases, sized } from '#server/testing/properties/counts.ts'
import { readmeSteps } from '#server/testing/readme-steps.ts'
import { sendTelemetry } from '#server/testing/send-telemetry.ts'

// More than 1,000 changes to a true archive, each with the verdicts that it must get. `npm test` runs every twelfth, and each one
// whose message is part of the case. every-verifier.test.ts gives a share of them to the other verifiers.

const share = sized(1, 12)

let runtime: Awaited<ReturnType<typeof exportRuntime>>
let changes: ArchiveChange[]
let original: ArchiveFiles
let fingerprint: string
beforeAll(async () => {
  runtime = await exportRuntime()
  const { bytes, today, exportId } = await twoDaysArchive(runtime, async (tenant, auditor) => {
    await insertBoundRows(runtime, tenant, auditor)
    await sendTelemetry(tenant)
  })
  const { top } = await runtime.extract('changes', bytes)
  const files = await readArchiveFiles(top)
  original = files
  fingerprint = JSON.parse(String(files.get('manifest.json'))).signer.fingerprint
  changes = archiveChanges({ bytes, folder: `evidence-room-${exportId}`, files, today })
})
afterAll(() => runtime.close())

/** Step 12 checks the Sigstore bundle; what follows the last line of a PEM means nothing to openssl. */
const elsewhere = /bundle\.sigstore|seal\.pub\.pem: (?:a newline|the last byte|a bit in its last byte)/

describe('each change to an archive', () => {
  test('gets its verdicts', async (context) => {
    expect(changes.length).toBeGreaterThan(1000)
    const kinds = changes.flatMap(({ name }) => /^(data\/[a-z-]+\.ndjson): a row deleted$/.exec(name)?.[1] ?? [])
    expect(kinds).toHaveLength(25)
    expect(changes.filter(({ name }) => name.includes('of a span of telemetry'))).toHaveLength(22)
    expect(changes.filter(({ name }) => name.startsWith('data/traces.ndjson: '))).toHaveLength(16)
    expect(changes.filter(({ name }) => name.includes(': a line with '))).toHaveLength(15)
    let cases = 0
    for (const [index, { name, make, expected, says }] of changes.entries()) {
      if (index % share !== 0 && says === undefined) continue
      const { verdicts, checks } = await verifyArchive(new Blob([new Uint8Array(await make())]), { fingerprint })
      expect({ name, verdicts, checks }).toMatchObject({ name, verdicts: expected })
      if (says !== undefined) expect(checks.map(({ detail }) => detail).join('\n')).toContain(says)
      // The verifier foresaw it: it names what is wrong, not an error of a program.
      for (const { detail } of checks) expect(detail).not.toMatch(/undefined|TypeError|not a function/)
      cases += 1
    }
    countCases(context, cases)
  }, 600_000)

  test('that no key signed is found by the commands of steps 1 to 5 in README.txt', async (context) => {
    const commands = readmeSteps(original.get('README.txt'), ['1', '2', '3', '4', '5'])
    const passes = async (name: string, files: ArchiveFiles) => {
      const top = await writeArchiveFiles(join(runtime.config.dataDir, name), files)
      return commands.every((command) => spawnSync('sh', ['-c', command], { cwd: top }).status === 0)
    }
    expect(await passes('true', original)).toBe(true)
    let cases = 0
    for (const [index, { name, files, expected }] of changes.entries()) {
      if (files === undefined || expected.integrity !== 'fails' || index % (share * 3) !== 0 || elsewhere.test(name))
        continue
      expect({ name, passes: await passes(`change-${index}`, files) }).toEqual({ name, passes: false })
      cases += 1
    }
    countCases(context, cases)
  }, 600_000)
})
