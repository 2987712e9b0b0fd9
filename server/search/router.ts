import { procedure, router } from '#server/kernel/trpc.ts'
import { find } from './find.ts'

export const search = router({ find: procedure.query(find) })
