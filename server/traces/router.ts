import { procedure, router } from '#server/kernel/trpc.ts'
import { getTrace } from './get-trace.ts'
import { list } from './list.ts'
import { stream } from './stream.ts'
import { verify } from './verify.ts'

export const traces = router({
  getTrace: procedure.query(getTrace),
  list: procedure.query(list),
  stream: procedure.subscription(stream),
  verify: procedure.query(verify),
})
