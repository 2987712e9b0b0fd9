import { expect, test } from 'vitest'
import { type Finding, ok } from './findings.ts'
import { inTime } from './in-time.ts'

const textsOf = async (findings: AsyncGenerator<Finding>) => {
  const texts: string[] = []
  for await (const { level, text } of findings) texts.push(`${level}: ${text}`)
  return texts
}
const never = new Promise<never>(() => undefined)

test('each finding comes when it is found', async () => {
  const after = Promise.withResolvers<void>()
  async function* check() {
    yield ok('Mail', 'first')
    await after.promise
    yield ok('Mail', 'second')
  }
  const findings = inTime('Mail', check())
  expect((await findings.next()).value).toMatchObject({ text: 'first' })
  after.resolve()
  expect(await textsOf(findings)).toEqual(['ok: second'])
})

test('a check that never ends is left, and says so after what it has found', async () => {
  async function* check() {
    yield ok('SIEM', 'first')
    await never
  }
  expect(await textsOf(inTime('SIEM', check(), 50))).toEqual([
    'ok: first',
    'failed: the check did not end within 0.05 seconds.',
  ])
  expect(await textsOf(inTime('Mail', never, 50))).toEqual(['failed: the check did not end within 0.05 seconds.'])
})

test('a check that throws is a finding, not the end of the report', async () => {
  expect(await textsOf(inTime('Stores', Promise.reject(new Error('broken'))))).toEqual([
    'failed: the check could not end (broken).',
  ])
})
