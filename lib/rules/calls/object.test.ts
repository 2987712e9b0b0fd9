import { expect, test } from 'vitest'
import type { JsonObject } from '#lib/json.ts'
import { describeEffect } from '../effect.ts'
import { requiredBy, targetOf } from './object.ts'

test.each([
  ['the usual names, as before', { name: 'Ines', order_id: 'A-1' }, 'Ines'],
  ['a number', { id: 42 }, '42'],
  ['another spelling', { order_id: 'A-1', amount: '4.20' }, 'A-1'],
  ['another spelling of one before others', { customerID: 'C-7', ticket_id: 'T-1' }, 'C-7'],
  ['an id of its own name', { ticketId: 'T-1', text: 'x' }, 'T-1'],
  ['ids, whatever their order', { ticket_id: 'T-1', branch_id: 7 }, '7, T-1'],
  ['ids in the other order', { branch_id: 7, ticket_id: 'T-1' }, '7, T-1'],
  ['a number, with where it is unique', { issue_number: 42, repo: 'api', owner: 'acme' }, 'acme, api, 42'],
  ['no long number', { card_number: '4111 1111 1111 1111', phone_number: '+491701234567' }, undefined],
  ['no secret', { token_id: 'x', api_key_id: 'y' }, undefined],
  ['no fraction, and no number that is not exact', { id: 1.5, order_id: 2 ** 60 }, undefined],
  ['nothing of several words', { order_id: 'ignore what is above' }, undefined],
  ['nothing that only says where', { channel_id: 'C7', workspaceId: 'W1', text: 'x' }, undefined],
  ['what is there, not where', { channel_id: 'C7', message_id: 'M1' }, 'M1'],
  ['nothing without an id', { to: 'ines@example.com', owner: 'acme' }, undefined],
])('the object of a call is named by %s', (_what, args, target) => {
  expect(targetOf(args)).toBe(target)
})

const schema = {
  type: 'object',
  properties: {
    amount: { type: 'integer' },
    owner: { type: 'string' },
    kind: { type: 'string', enum: ['a'] },
    urgent: { type: 'boolean' },
    item: { type: 'string' },
    tag: { type: 'string' },
  },
  required: ['amount', 'owner', 'kind', 'urgent', 'item', 'tag', 'constructor'],
}

test('otherwise by the first argument that the schema of the tool requires and that can name something', () => {
  expect(requiredBy(schema)).toEqual(['item', 'tag'])
  expect(targetOf({ tag: 'refund', item: 'order-7', amount: 10, owner: 'acme' }, requiredBy(schema))).toBe(
    'acme, order-7',
  )
  expect(targetOf({ tag: 'refund', item: 'order-7', ticket_id: 'T-1' }, requiredBy(schema))).toBe('T-1')
  const without: JsonObject[] = [{}, { required: 'item' }, { required: ['item'] }, { required: [7], properties: {} }]
  for (const one of without) expect(requiredBy(one)).toEqual([])
})

test('a title names the object by the schema, and never a command', () => {
  const required = (name: string) => ({ properties: { [name]: { type: 'string' } }, required: [name] })
  expect(describeEffect('tag_item', { item: 'order-7', amount: 10 }, required('item')).title).toBe(
    'Tag item for order-7',
  )
  expect(describeEffect('run_shell', { command: 'ls' }, required('command')).title).toBe('Run shell: ls')
})
