import { describe, expect, test } from 'vitest'
import { firstIdAt, newId } from './ids.ts'

test('a new id is a UUIDv7 of the current time, and unlike any other', () => {
  const before = Date.now()
  const ids = Array.from({ length: 10_000 }, newId)
  expect(new Set(ids).size).toBe(ids.length)
  for (const id of ids) {
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    const time = Number.parseInt(id.replace('-', '').slice(0, 12), 16)
    expect(time).toBeGreaterThanOrEqual(before)
    expect(time).toBeLessThanOrEqual(Date.now())
  }
})

describe('the smallest id of a time', () => {
  test('lies between the ids that are generated before and after it', () => {
    const before = new Date(Date.now() - 1)
    const id = newId()
    const after = new Date(Date.now() + 1)
    expect([firstIdAt(after), id, firstIdAt(before)].sort()).toEqual([firstIdAt(before), id, firstIdAt(after)])
  })

  test.each(['0000-01-01T00:00:00Z', '1969-12-31T23:59:59.999Z', '1970-01-01T00:00:00Z'])(
    'is the smallest of all at %s',
    (time) => expect(firstIdAt(new Date(time))).toBe('00000000-0000-0000-0000-000000000000'),
  )

  test('is a UUID at the latest time that a filter accepts', () => {
    expect(firstIdAt(new Date('9999-12-31T23:59:59.999Z'))).toBe('e677d21f-dbff-0000-0000-000000000000')
  })
})
