import { WebSocket } from 'ws'
import { ApiError } from '#lib/errors.ts'
import { scanJson } from '#server/kernel/json-budget.ts'
import { wireLimits } from '#server/kernel/limits.ts'

const { values } = wireLimits.socket
const { depth } = wireLimits.json
/** RFC 6455, section 7.4.1: the message breaks the server's rules. */
const policyViolation = 1008

/** A socket whose messages reach the procedure library only within the budget, because the library answers each value of a list. */
export class BoundedSocket extends WebSocket {
  override emit(event: string | symbol, ...args: unknown[]): boolean {
    const [data] = args
    if (event !== 'message' || !(data instanceof Uint8Array)) return super.emit(event, ...args)
    try {
      scanJson(data, { values, depth })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      // A flaw in it has issues.
      const reason =
        error.issues === undefined
          ? `A message can contain up to ${values} values, ${depth} levels deep.`
          : 'A message must be JSON that all programs read alike.'
      this.close(policyViolation, reason)
      return true
    }
    return super.emit(event, ...args)
  }
}
