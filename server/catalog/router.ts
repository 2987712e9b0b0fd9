import { procedure, router } from '#server/kernel/trpc.ts'
import { list } from './list.ts'

export const catalog = router({ list: procedure.query(list) })
