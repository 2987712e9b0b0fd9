import { describe, expect, test } from 'vitest'
import { createGate, type Lane, OverloadError } from './turns.ts'

/** A gate whose work ends when the test says so, and which notes the order in which work began and what was refused. */
function gateOf(settings: Parameters<typeof createGate>[0]) {
  const inTurn = createGate(settings)
  const began: string[] = []
  const refused: string[] = []
  const ends: (() => void)[] = []
  return {
    began,
    refused,
    enter(name: string, ...lane: Lane) {
      const work = async () => {
        began.push(name)
        await new Promise<void>((resolve) => ends.push(resolve))
      }
      inTurn(lane, work).catch((error: unknown) => {
        if (!(error instanceof OverloadError)) throw error
        refused.push(name)
      })
    },
    /** Ends the oldest work, and waits until the next has begun. */
    async end() {
      ends.shift()?.()
      await new Promise(setImmediate)
    },
  }
}

const settle = () => new Promise(setImmediate)

describe('a gate', () => {
  test('runs two at a time, and the next of one lane in order', async () => {
    const gate = gateOf({ concurrent: 2, waiting: 10 })
    for (const name of ['a', 'b', 'c', 'd']) gate.enter(name, 'stranger', 'realm')
    await settle()
    expect(gate.began).toEqual(['a', 'b'])
    for (let turn = 0; turn < 2; turn++) await gate.end()
    expect(gate.began).toEqual(['a', 'b', 'c', 'd'])
  })

  test('serves realms in turns, and within a realm its addresses', async () => {
    const gate = gateOf({ concurrent: 1, waiting: 100 })
    for (let flood = 0; flood < 20; flood++) gate.enter(`flood-${flood}`, 'stranger', 'northwind', '192.0.2.1')
    gate.enter('colleague', 'stranger', 'northwind', '192.0.2.2')
    gate.enter('globex', 'stranger', 'globex', '192.0.2.1')
    await settle()
    for (let turn = 0; turn < 4; turn++) await gate.end()
    expect(gate.began).toEqual(['flood-0', 'flood-1', 'globex', 'colleague', 'flood-2'])
  })

  test('keeps a slot free of the kind that is limited', async () => {
    const gate = gateOf({ concurrent: 2, waiting: 100, most: { stranger: 1 } })
    for (let flood = 0; flood < 5; flood++) gate.enter(`flood-${flood}`, 'stranger', 'northwind')
    await settle()
    expect(gate.began).toEqual(['flood-0'])
    gate.enter('maria', 'browser', 'northwind')
    await settle()
    expect(gate.began).toEqual(['flood-0', 'maria'])
    gate.enter('jonas', 'browser', 'northwind')
    await gate.end()
    await gate.end()
    expect(gate.began).toEqual(['flood-0', 'maria', 'flood-1', 'jonas'])
    await gate.end()
    await gate.end()
    expect(gate.began).toEqual(['flood-0', 'maria', 'flood-1', 'jonas', 'flood-2'])
  })

  test('refuses the last of the longest lane when too many wait', async () => {
    const gate = gateOf({ concurrent: 1, waiting: 3 })
    for (let flood = 0; flood < 5; flood++) gate.enter(`flood-${flood}`, 'stranger', 'northwind', '192.0.2.1')
    await settle()
    expect(gate.refused).toEqual(['flood-4'])
    gate.enter('globex', 'stranger', 'globex', '192.0.2.1')
    await settle()
    expect(gate.refused).toEqual(['flood-4', 'flood-3'])
    for (let turn = 0; turn < 4; turn++) await gate.end()
    expect(gate.began).toEqual(['flood-0', 'flood-1', 'globex', 'flood-2'])
  })

  test('continues after work that failed', async () => {
    const inTurn = createGate({ concurrent: 1, waiting: 1 })
    const failing = inTurn(['stranger'], () => Promise.reject(new Error('broken')))
    const next = inTurn(['stranger'], () => Promise.resolve('done'))
    await expect(failing).rejects.toThrow('broken')
    await expect(next).resolves.toBe('done')
  })
})
