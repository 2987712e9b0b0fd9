import { procedure, router } from '#server/kernel/trpc.ts'
import { find } from './find.ts'
import { names } from './names.ts'

export const search = router({ find: procedure.query(find), names: procedure.query(names) })
