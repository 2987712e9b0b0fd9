import { procedure, router } from '#server/kernel/trpc.ts'
import { check } from './check.ts'
import { compare } from './compare.ts'
import { create } from './create.ts'
import { get } from './get.ts'
import { list } from './list.ts'
import { resume } from './resume.ts'
import { retire } from './retire.ts'
import { suspend } from './suspend.ts'
import { versions } from './versions.ts'

export const agents = router({
  check: procedure.query(check),
  compare: procedure.query(compare),
  create: procedure.mutation(create),
  get: procedure.query(get),
  list: procedure.query(list),
  resume: procedure.mutation(resume),
  retire: procedure.mutation(retire),
  suspend: procedure.mutation(suspend),
  versions: procedure.query(versions),
})
