import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifyArchive } from '#lib/verify/verify.ts'
import { exportRuntime, twoDaysArchive } from '#server/testing/exports.ts'
import { readArchiveFiles } from '#server/testing/extract.ts'
import { type ArchiveFiles, packArchive, resealed } from '#server/testing/forged-archive.ts'
import { relogged } from '#server/testing/forged-log.ts'

// The answer about the log names rows that are older than their binding to it, and records from before the service put a mac on each.

let runtime: Awaited<ReturnType<typeof exportRuntime>>
let folder: string
let files: ArchiveFiles
let today: string
beforeAll(async () => {
  runtime = await exportRuntime()
  const made = await twoDaysArchive(runtime)
  today = made.today
  folder = `evidence-room-${made.exportId}`
  files = await readArchiveFiles((await runtime.extract('older', made.bytes)).top)
})
afterAll(() => runtime.close())

async function olderIn(content: ArchiveFiles) {
  const { checks, verdicts } = await verifyArchive(new Blob([new Uint8Array(await packArchive(folder, content))]))
  return { log: verdicts.log, older: checks.find(({ name }) => name === 'Older than their binding') }
}

const digest = `sha256:${'0'.repeat(64)}`
const adopted = (types: readonly string[]) => (record: object) => ({
  ...record,
  action: 'state.adopted',
  states: types.map((type, index) => ({ type, id: `x${index}`, revision: 1, form: 1, digest })),
})

test('an archive without any does not mention them', async () => {
  expect((await olderIn(files)).older).toBeUndefined()
})

test('rows in records state.adopted are counted by kind, and those records are named', async () => {
  const content = relogged(files, today, ([first = {}, ...rest]) => [
    { ...adopted(['agent', 'agent', 'approval_vote'])(first), auditId: 'adopted' },
    first,
    ...rest,
  ])
  expect((await olderIn(content)).older).toMatchObject({
    verdict: 'log',
    state: 'holds',
    detail: `These rows are older than their binding to the log: agent (2), approval vote (1). The records state.adopted (0 of ${today}) name each; what the rows contained before is not known.`,
  })
})

test('records before the first one with a mac are counted', async () => {
  const keyed = (keyedFrom: { date: string; seq: number } | string) =>
    resealed(files, { manifest: (one) => ({ ...one, rows: { ...Object(one.rows), keyedFrom } }) })
  expect(await olderIn(keyed({ date: today, seq: 3 }))).toMatchObject({
    log: 'holds',
    older: {
      detail: `3 records before number 3 of ${today} are from a version that did not check who wrote a record before it was signed.`,
    },
  })
  expect((await olderIn(keyed({ date: today, seq: 0 }))).older).toBeUndefined()
  expect(await olderIn(keyed('never'))).toMatchObject({ log: 'fails' })
})

test('no manifest makes the verifier throw', async () => {
  for (const rows of [null, [], 'x', { asOf: 'x' }, { asOf: [{}] }, { asOf: [{ date: today, size: 'x' }] }])
    for (const days of [undefined, [null], [{ date: 'x' }], [{ date: today, size: -1, root: '' }]]) {
      const content = resealed(files, {
        manifest: (one) => ({ ...one, rows, ...(days === undefined ? {} : { days }) }),
      })
      expect((await olderIn(content)).log).not.toBe('holds')
    }
})
