import type { CallToolResult } from '@modelcontextprotocol/client'
import { until } from './until.ts'

/** Makes a call of a tool again while it is still running, as its answer asks for, until it has ended or waits for a person. */
export const repeated = (call: () => Promise<CallToolResult>): Promise<CallToolResult> =>
  until(async () => {
    const answer = await call()
    return Reflect.get(Object(answer.structuredContent), 'reason') === 'running' ? undefined : answer
  }, 'the call ended, or waited for a person')
