import { procedure, router } from '#server/kernel/trpc.ts'
import { end } from './end.ts'
import { endOthers } from './end-others.ts'
import { list } from './list.ts'

export const sessions = router({
  end: procedure.mutation(end),
  endOthers: procedure.mutation(endOthers),
  list: procedure.query(list),
})
