import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { memoryRoom, objectTable } from '#lib/verify/objects.ts'
import { NotChecked } from '#lib/verify/report.ts'
import { archiveBombs, type Bomb, objectBomb } from '#server/testing/archive-bombs.ts'
import { exportRuntime, twoDaysArchive } from '#server/testing/exports.ts'
import { readArchiveFiles } from '#server/testing/extract.ts'
import { runVerifier } from '#server/testing/processes/verify-process.ts'
import { countCases, sized } from '#server/testing/properties/counts.ts'

// verify.mjs refuses archives that would fill its memory, by name and limit, and never needs more than 256 MB. npm run proof makes
// them with two gigabytes each; npm test makes a share of them, with 40 MB.

const mostMb = 256
const [megabytes, share] = [sized(2048, 40), sized(1, 4)]

let runtime: Awaited<ReturnType<typeof exportRuntime>>
let top: string
let bombs: Bomb[]
beforeAll(async () => {
  runtime = await exportRuntime()
  const { bytes, today, exportId } = await twoDaysArchive(runtime)
  top = (await runtime.extract('bombs', bytes)).top
  const original = { bytes, folder: `evidence-room-${exportId}`, files: await readArchiveFiles(top), today }
  const all = archiveBombs(original, megabytes * 1024 * 1024)
  bombs = sized([...all, objectBomb(original, 1_300_000)], all).filter((_, index) => index % share === 0)
})
afterAll(() => runtime.close())

test('each bomb is refused by its name and its limit, in less than 256 MB', async (context) => {
  const zip = join(top, '..', 'bomb.zip')
  for (const { name, make, expected, says, exit } of bombs) {
    await writeFile(zip, await make())
    const { status, stdout, stderr, peakMb } = await runVerifier(top, [zip, '--fingerprint', '0'.repeat(64)])
    expect({ name, status, stderr }).toEqual({ name, status: exit, stderr: '' })
    expect(peakMb, name).toBeGreaterThan(30)
    expect(peakMb, name).toBeLessThanOrEqual(mostMb)
    if (says !== undefined) expect({ name, stdout }).toEqual({ name, stdout: expect.stringContaining(says) })
    const verdicts = exit === 2 ? [] : Object.entries(expected)
    for (const [verdict, state] of verdicts)
      expect({ name, stdout }).toEqual({ name, stdout: expect.stringContaining(`${verdict.toUpperCase()}: ${state}.`) })
  }
  countCases(context, bombs.length)
}, 3_600_000)

test('tables take their memory from one room, give it back, and say when it is full', () => {
  const room = memoryRoom()
  const object = { revision: 1, form: 1, digest: undefined, owed: true, seen: false }
  const table = objectTable(room)
  for (let index = 0; index < 5000; index++) table.set('agent', `${index}`, object)
  expect(table.missing()).toBe(0)
  for (let index = 0; index < 5000; index++)
    table.set('agent', `${index}`, { ...object, revision: index + 1, digest: new Uint8Array(32).fill(index % 256) })
  expect(table.missing()).toBe(5000)
  expect(table.get('agent', '4999')).toMatchObject({ revision: 5000, owed: true, seen: false, form: 1 })
  expect(table.get('agent', '300')?.digest).toEqual(new Uint8Array(32).fill(44))
  expect(table.get('release', '300')).toBeUndefined()
  table.release()
  room.take(80 * 1024 * 1024)
  expect(room.isFull()).toBe(false)
  expect(() => objectTable(room)).toThrow(NotChecked)
  expect(() => room.require()).toThrow('Export shorter periods')
})
