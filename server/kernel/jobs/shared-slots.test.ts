import { expect, test } from 'vitest'
import { openSharedSlots } from './shared-slots.ts'

test('a slot that is held for a job to be fetched is not given to another one', async () => {
  const slots = openSharedSlots(1)
  const held = slots.hold()
  expect(held).toBeDefined()
  expect(slots.hold()).toBeUndefined()
  expect(slots.reserve('a')).toBeUndefined()
  // The tenant of the job is known when it runs.
  const end = Promise.withResolvers<void>()
  const running = held?.run('a', () => end.promise)
  expect(slots.full()).toEqual(['a'])
  expect(slots.reserve('b')).toBeUndefined()
  end.resolve()
  await running
  expect(slots.full()).toEqual([])
  slots.reserve('b')?.giveBack()
  slots.hold()?.giveBack()
  expect(slots.reserve('b')).toBeDefined()
})

test('work that fails gives its slot back', async () => {
  const slots = openSharedSlots(1)
  const fails = () => Promise.reject(new Error('Not today.'))
  await expect(slots.hold()?.run('a', fails)).rejects.toThrow('Not today.')
  await expect(slots.reserve('a')?.run(fails)).rejects.toThrow('Not today.')
  expect(slots.full()).toEqual([])
  expect(slots.hold()).toBeDefined()
})
