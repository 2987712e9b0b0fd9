import { expect, test } from 'vitest'
import { type Layout, layoutOf, layoutSearchFrom, searchOfLayout } from './layout.ts'

const none = layoutSearchFrom(new URLSearchParams())
const read = (search: string) => layoutSearchFrom(new URLSearchParams(search))

test('a layout is the same after it was written into an address and read again', () => {
  for (const layout of [
    { hidden: [], density: 'compact' },
    { hidden: ['risk', 'group'], density: 'comfortable' },
  ] satisfies Layout[])
    expect(layoutOf(read(new URLSearchParams(searchOfLayout(layout)).toString()), none)).toEqual(layout)
})

test('the address has precedence over what the browser remembers, each part on its own', () => {
  const remembered = read('hide=agent&density=comfortable')
  expect(layoutOf(none, remembered)).toEqual({ hidden: ['agent'], density: 'comfortable' })
  expect(layoutOf(read('hide=none'), remembered)).toEqual({ hidden: [], density: 'comfortable' })
  expect(layoutOf(read('hide=group&density=compact'), remembered)).toEqual({ hidden: ['group'], density: 'compact' })
  expect(layoutOf(none, none)).toEqual({ hidden: ['group'], density: 'compact' })
})

test('columns and densities that do not exist are ignored', () => {
  expect(read('hide=title,select,agent,constructor&density=huge')).toEqual({ hide: 'agent', density: '' })
})
