import { procedure, router } from '#server/kernel/trpc.ts'
import { getSpan } from './get-span.ts'
import { getSpanProof } from './get-span-proof.ts'
import { getTrace } from './get-trace.ts'
import { list } from './list.ts'
import { stream } from './stream.ts'
import { unmask } from './unmask.ts'
import { verify } from './verify.ts'

export const traces = router({
  getSpan: procedure.query(getSpan),
  getSpanProof: procedure.query(getSpanProof),
  getTrace: procedure.query(getTrace),
  list: procedure.query(list),
  stream: procedure.subscription(stream),
  unmask: procedure.mutation(unmask),
  verify: procedure.query(verify),
})
