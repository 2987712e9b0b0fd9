import { expect, test } from 'vitest'
import { filterFrom, inputOf } from './filter.ts'

const id = '019345aa-0000-7000-8000-000000000001'
const from = (text: string) => filterFrom(new URLSearchParams(text))

test('the address selects the listed executions', () => {
  expect(inputOf(from(''))).toEqual({})
  expect(inputOf(from(`status=failed&agentId=${id}`))).toEqual({ status: ['failed'], agentId: id })
  expect(inputOf(from('status=under-way'))).toEqual({
    status: ['queued', 'running', 'waiting_approval', 'waiting_input'],
  })
})

test.each(['status=nonsense', 'agentId=../x', 'agentId=', `agentId=${id.toUpperCase()}`])(
  '%s is ignored and never sent to the server',
  (text) => {
    expect(inputOf(from(text))).toEqual({})
  },
)
