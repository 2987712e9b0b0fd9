import { type JSONRPCRequest, type Result, Server, type ServerContext } from '@modelcontextprotocol/server'

/** Thrown by the handler of `tools/call` to answer with a task, which the library does not know as a result of a call. */
export class AnswerWithTask extends Error {
  readonly result: Result
  constructor(result: Result) {
    super('The call is answered with a task.')
    this.result = result
  }
}

type Handler = (request: JSONRPCRequest, context: ServerContext) => Promise<Result>

/** A server whose calls may be answered with a task. */
export class TaskServer extends Server {
  protected override _wrapHandler(method: string, handler: Handler): Handler {
    const checked = super._wrapHandler(method, handler)
    return async (request, context) => {
      try {
        return await checked(request, context)
      } catch (error) {
        if (error instanceof AnswerWithTask) return error.result
        throw error
      }
    }
  }
}
