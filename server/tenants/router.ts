import { procedure, router } from '#server/kernel/trpc.ts'
import { current } from './current.ts'
import { me } from './me.ts'

export const tenants = router({ current: procedure.query(current) })
export const session = router({ me: procedure.query(me) })
