import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { verifyArchive } from '#lib/verify/verify.ts'

// An archive that the service wrote before format version 2, with the log-keys.json of that day.

const vector = (name: string) => readFileSync(join(import.meta.dirname, 'vectors', name))
const archive = new Blob([new Uint8Array(vector('archive-v1.zip'))])

test('an archive of version 1 still verifies, and says what it can’t show', async () => {
  const published = async () => JSON.parse(String(vector('archive-v1.log-keys.json')))
  const { verdicts, checks, about } = await verifyArchive(archive, { published })
  expect(checks.filter(({ state }) => state === 'fails')).toEqual([])
  expect(about).toMatchObject({ formatVersion: 1, sealed: true, requested: undefined })
  expect(verdicts).toMatchObject({
    integrity: 'holds',
    origin: 'holds',
    log: 'not checked',
    completeness: 'not checked',
  })
})

test('a file that can’t be read any more is not checked, which says nothing about its content', async () => {
  const gone = new DOMException('The blob could not be read.', 'NotReadableError')
  const unreadable = new Proxy(archive, {
    get: (target, name) =>
      name === 'slice' ? () => ({ arrayBuffer: () => Promise.reject(gone) }) : Reflect.get(target, name, target),
  })
  const { verdicts, checks } = await verifyArchive(unreadable)
  expect(checks).toMatchObject([{ name: 'Container', state: 'not checked', detail: expect.stringContaining('again') }])
  expect(verdicts.integrity).toBe('not checked')
  // Its directory can be read, the content of its files can't.
  for (const inNode of [true, false]) {
    if (!inNode) vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined)
    let opened = false
    const later = new Proxy(archive, {
      get: (target, name) =>
        name === 'slice'
          ? (start?: number, end?: number) => {
              const part = target.slice(start, end)
              const whole = part.arrayBuffer.bind(part)
              return Object.assign(part, {
                arrayBuffer: () => (opened ? Promise.reject(gone) : whole()),
                stream: () =>
                  new ReadableStream({
                    pull: (controller) => controller.error(gone),
                  }),
              })
            }
          : Reflect.get(target, name, target),
    })
    const check = () => {
      opened = true
    }
    const report = await verifyArchive(later, {}, { check })
    expect(report.verdicts.integrity).toBe('not checked')
    expect(report.checks.filter(({ state }) => state === 'fails')).toEqual([])
  }
  vi.restoreAllMocks()
})
