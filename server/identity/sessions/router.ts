import { procedure, router } from '#server/kernel/trpc.ts'
import { end } from './end.ts'
import { endOthers } from './end-others.ts'
import { endProgram } from './end-program.ts'
import { list } from './list.ts'

export const sessions = router({
  end: procedure.mutation(end),
  endOthers: procedure.mutation(endOthers),
  endProgram: procedure.mutation(endProgram),
  list: procedure.query(list),
})
