import { procedure, router } from '#server/kernel/trpc.ts'
import { stream } from './stream.ts'

export const changes = router({ stream: procedure.subscription(stream) })
