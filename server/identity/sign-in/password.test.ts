import { describe, expect, test } from 'vitest'
import { createGate, OverloadError } from './bounded.ts'
import { hashPassword, verifyPassword } from './password.ts'

describe('a password', () => {
  test('is hashed to a PHC string of its own, and verified by it', async () => {
    const [one, two] = [await hashPassword('correct horse'), await hashPassword('correct horse')]
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
    expect(two).not.toBe(one)
    expect(await verifyPassword('correct horse', one)).toBe(true)
    expect(await verifyPassword('correct horse', two)).toBe(true)
  })

  test('is refused when anything differs', async () => {
    const hash = await hashPassword('correct horse')
    for (const other of ['', 'correct hors', 'correct horse ', 'Correct horse', 'correct horse\0'])
      expect(await verifyPassword(other, hash)).toBe(false)
    expect(
      await verifyPassword(
        'correct horse',
        hash.replace(/.$/, (last) => (last === 'A' ? 'E' : 'A')),
      ),
    ).toBe(false)
  })

  test('is the same however its accents are encoded', async () => {
    expect(await verifyPassword('caf\u00e9', await hashPassword('cafe\u0301'))).toBe(true)
  })

  test('that nobody has is wrong, after the same work', async () => {
    expect(await verifyPassword('anything', undefined)).toBe(false)
  })

  test('is hashed off the event loop, which goes on turning meanwhile', async () => {
    let turns = 0
    let done = false
    const turn = () => {
      turns += 1
      if (!done) setImmediate(turn)
    }
    setImmediate(turn)
    const hash = await hashPassword('correct horse')
    await verifyPassword('correct horse', hash)
    done = true
    // Work on the loop itself would leave it one turn for each of the two.
    expect(turns).toBeGreaterThan(50)
  })

  test('is verified with the cost that it was hashed with', async () => {
    // Made by the reference implementation: argon2 "somesalt" -id -t 2 -k 65536 -p 1 -e (its own test vector).
    const reference = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'
    expect(await verifyPassword('password', reference)).toBe(true)
    expect(await verifyPassword('Password', reference)).toBe(false)
  })

  test('of more than 1,024 bytes is neither hashed nor right', async () => {
    const long = 'x'.repeat(1025)
    await expect(hashPassword(long)).rejects.toThrow('1024')
    expect(await verifyPassword(long, await hashPassword(''))).toBe(false)
  })
})

test('a gate lets two in, lets two wait in order, and turns the fifth away', async () => {
  const gate = createGate({ concurrent: 2, waiting: 2 })
  const done: number[] = []
  const releases: (() => void)[] = []
  const enter = (number: number) =>
    gate(async () => {
      await new Promise<void>((resolve) => releases.push(resolve))
      done.push(number)
    })
  const inside = [1, 2, 3, 4].map(enter)
  expect(releases).toHaveLength(2)
  await expect(enter(5)).rejects.toBeInstanceOf(OverloadError)
  for (const work of inside) {
    releases.shift()?.()
    await work
  }
  expect(done).toEqual([1, 2, 3, 4])
  const last = enter(6)
  releases.shift()?.()
  await last
})
