import { expect, test } from 'vitest'
import { pastedId } from './pasted-id.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const executionId = '01890000-0000-7000-8000-000000000001'

test('an id or an address of a trace or an execution is understood', () => {
  expect(pastedId(` ${traceId.toUpperCase()} `)).toEqual({ traceId })
  expect(pastedId(`https://console.example/t/northwind/traces/${traceId}?span=b7ad6b7169203331`)).toEqual({ traceId })
  expect(pastedId(executionId)).toEqual({ executionId })
  expect(pastedId(`/t/northwind/executions/${executionId}?tab=trace`)).toEqual({ executionId })
})

test('anything else is not', () => {
  for (const text of ['', 'order A-7', traceId.slice(1), `${traceId}0`, `x${executionId}`, `/agents/${executionId}`])
    expect(pastedId(text)).toBeUndefined()
})
