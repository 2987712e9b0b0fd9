import { expect, test } from 'vitest'
import { actorName, namesIn, objectsOf } from './object-names.ts'

const row = { actor: { type: 'person', id: 'm1', name: 'jonas' }, resource: { type: 'approval', id: 'a1' } }

test('a record names its object and the member who acted, each once', () => {
  expect(objectsOf([row, row, { ...row, resource: { type: 'unknown', id: '' } }])).toEqual([
    { type: 'approval', id: 'a1' },
    { type: 'member', id: 'm1' },
  ])
})

test('a member is called by the display name, or else as in the record', () => {
  expect(actorName(row, namesIn([{ type: 'member', id: 'm1', name: 'Jonas Weber' }]))).toBe('Jonas Weber')
  expect(actorName(row, namesIn([{ type: 'approval', id: 'm1', name: 'Other' }]))).toBe('jonas')
})
