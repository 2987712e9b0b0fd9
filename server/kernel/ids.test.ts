import { describe, expect, test } from 'vitest'
import { firstIdAt, newId } from './ids.ts'

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
