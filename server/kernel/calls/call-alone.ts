import { ApiError } from '#lib/errors.ts'
import { wireTransformer } from '#lib/wire.ts'
import { errorOfProcedure } from '../procedure-error.ts'
import type { CallContext, CallRequest, ProcedureAlone } from '../trpc.ts'

/** A call that is answered as a whole: neither one of a batch nor a stream. */
export type SingleCall = CallRequest & {
  path: string
  /** The JSON of its input, from the address or the body; null if there is none. */
  text: string | null
}

/** The body of an answer, as text and as a response, which could only be read once and later. */
export type WholeAnswer = { response: Response; text: string }

/**
 * Answers such a call as the procedure library does, without what it creates for batches, streams and cancellation
 * (docs/decisions/0122). server/call-alone.test.ts holds the two together. The caller is already authenticated and the size of the
 * input limited.
 */
export async function answerAlone(
  { path, text, ...request }: SingleCall,
  procedure: ProcedureAlone,
  ctx: CallContext,
): Promise<WholeAnswer> {
  try {
    const output = await procedure({ ctx, path, request, input: () => inputOf(text) })
    return whole(200, JSON.stringify({ result: { data: wireTransformer.serialize(output) } }))
  } catch (error) {
    const { status, body } = errorOfProcedure(error, ctx.caller.requestId, path)
    return whole(status, body)
  }
}

const headers = { vary: 'trpc-accept, accept', 'content-type': 'application/json', 'cache-control': 'no-store' }

const whole = (status: number, text: string): WholeAnswer => ({
  response: new Response(text, { status, headers }),
  text,
})

function inputOf(text: string | null): unknown {
  if (text === null) return undefined
  try {
    return wireTransformer.deserialize(JSON.parse(text))
  } catch (error) {
    // Without the cause: the parser's message quotes the input, which must not be logged.
    if (error instanceof SyntaxError) throw new ApiError('bad_request', 'The input is not valid JSON.')
    throw error
  }
}
